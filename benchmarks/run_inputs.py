"""The measurement behind docs/corpora/inputs.md: every form of a corpus against one text file.

    python benchmarks/run_inputs.py

The corpus is generated, and cut into documents of about 2 kB. Counting and encoding run with one
thread, interleaved, in processor time, because what is compared is work, not waiting.
Saves results/inputs_forms.json.
"""

import bz2
import gzip
import json
import lzma
import statistics
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import common
from common import EOT, run_experiments

from cs336_bpe import Tokenizer, count_pretokens, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated

save = partial(common.save, "inputs")
NUM_BYTES = 20_000_000
DOCUMENT = 2_000
REPEATS = 5
VOCAB_SIZE = 10_000


def documents_of(text):
    """Documents of about 2 kB, cut at spaces."""
    documents = []
    for document in text.split(EOT):
        while len(document) > 1.5 * DOCUMENT:
            cut = document.rfind(" ", 0, DOCUMENT)
            cut = cut if cut > 0 else DOCUMENT
            documents.append(document[:cut])
            document = document[cut:]
        documents.append(document)
    return [document for document in documents if document]


def write_forms(folder, documents):
    """The paths of all forms that can be made here, by name."""
    text = "".join(document + EOT for document in documents).encode()
    lines = "".join(json.dumps({"text": document}) + "\n" for document in documents).encode()
    contents = {"text": text, ".gz": gzip.compress(text, 6), ".bz2": bz2.compress(text),
                ".xz": lzma.compress(text, preset=1), ".jsonl": lines,
                ".jsonl.gz": gzip.compress(lines, 6)}
    import zstandard

    contents[".zst"] = zstandard.compress(text)
    paths = {}
    for name, data in contents.items():
        paths[name] = folder / f"corpus{name if name[0] == '.' else '.txt'}"
        paths[name].write_bytes(data)
    import pyarrow
    import pyarrow.parquet

    paths[".parquet"] = folder / "corpus.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"text": documents}), paths[".parquet"])
    paths["folder, a file per document"] = folder / "folder"
    (folder / "folder").mkdir()
    for number, document in enumerate(documents):
        (folder / "folder" / f"{number:06}.txt").write_bytes((document + EOT).encode())
    return paths


def forms():
    """Counting and encoding of each form."""
    documents = documents_of(generated.web(NUM_BYTES))
    with TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_forms(folder, documents)
        counts = count_pretokens(paths["text"], [EOT])
        tokenizer = Tokenizer(*train_bpe_from_counts(counts, VOCAB_SIZE, [EOT]), [EOT])
        out = folder / "ids.bin"
        tokenizer.encode_file(paths["text"], out, workers=1)
        ids = out.read_bytes()
        calls = {form: (lambda path=path: count_pretokens(path, [EOT], workers=1),
                        lambda path=path: tokenizer.encode_file(path, out, workers=1))
                 for form, path in paths.items()}
        calls["list of str"] = (
            lambda: count_pretokens_in(documents, [EOT], workers=1),
            lambda: tokenizer.encode_texts(documents, out, workers=1))
        calls["generator of str"] = (
            lambda: count_pretokens_in(iter(documents), [EOT], workers=1),
            lambda: tokenizer.encode_texts(iter(documents), out, workers=1))
        times = {form: {"count": [], "encode": []} for form in calls}
        for _ in range(REPEATS):
            for form, (count, encode) in calls.items():
                start = time.process_time()
                found = count()
                middle = time.process_time()
                encode()
                end = time.process_time()
                assert found == counts, form
                assert out.read_bytes() == ids, form
                times[form]["count"].append(middle - start)
                times[form]["encode"].append(end - middle)
                print(f"{form:28} {middle - start:.3f} {end - middle:.3f}", flush=True)
        sizes = {form: paths[form].stat().st_size if form in paths and paths[form].is_file()
                 else None for form in calls}
    size = sum(len(document.encode()) for document in documents) + len(EOT) * len(documents)
    rows = [{"form": form, "file_bytes": sizes[form], "seconds": times[form],
             "median": {what: statistics.median(times[form][what]) for what in times[form]}}
            for form in calls]
    save("forms", {"num_bytes": size, "documents": len(documents), "rows": rows},
         ["pyarrow", "zstandard", "isal"])


EXPERIMENTS = {experiment.__name__: experiment for experiment in (forms,)}

if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
