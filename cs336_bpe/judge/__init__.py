"""A reader's own code on the ladder: is it right, and if not, which rule does it break?"""

from cs336_bpe.judge.encoding import judge_tokenizer
from cs336_bpe.judge.pretokenizing import judge_pretokenizer
from cs336_bpe.judge.training import judge_trainer
from cs336_bpe.judge.verdict import Finding, Verdict

__all__ = ["Finding", "Verdict", "judge_pretokenizer", "judge_tokenizer", "judge_trainer"]
