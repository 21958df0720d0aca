# ruff: noqa
from cs336_bpe.encode.stage07_word_table import *
from cs336_bpe.encode.stage07_word_table import Memory as Cache, Encoder as _E
class Encoder(_E):
    def new_cache(self, n): return self.new_memory(n)
