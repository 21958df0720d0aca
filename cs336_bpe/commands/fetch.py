"""`fetch`: the corpora of the coursework."""

import argparse
import os

from cs336_bpe.commands.console import add_common, print_result, progress_of
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.corpora.fetch import CORPORA, fetch


def configure_fetch(parser: argparse.ArgumentParser) -> None:
    sizes = ", ".join(f"{name} {readable_size(one.size)}" for name, one in CORPORA.items())
    parser.description = (
        "Download a corpus of the coursework, unpack it and check it. What was cut off goes on "
        f"where it stopped. Sizes: {sizes}.")
    parser.add_argument("name", metavar="NAME", choices=list(CORPORA),
                        help=f"one of {', '.join(CORPORA)}")
    parser.add_argument("-o", "--out", "--folder", dest="folder", default=".", metavar="DIR",
                        help="where to put it; made if needed (default: here)")
    parser.add_argument("--url", metavar="URL", help="another place that has the same files, "
                        "instead of https://huggingface.co/datasets")
    add_common(parser)


def run_fetch(options: argparse.Namespace) -> int:
    with progress_of(options) as progress:
        path = fetch(options.name, options.folder, url=options.url, progress=progress)
    corpus = CORPORA[options.name]
    result = {"name": options.name, "path": os.fspath(path), "bytes": corpus.size,
              "sha256": corpus.sha256}
    print_result(options, result, f"{path}: {readable_size(corpus.size)}, complete", summary=True)
    return 0
