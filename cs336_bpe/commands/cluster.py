"""`--dask ADDRESS`: the same work, on the machines of a Dask cluster."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cs336_bpe.commands.console import note
from cs336_bpe.common.amounts import plural

TASKS_PER_THREAD = 2  # under way, so that no worker waits


def add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dask", metavar="ADDRESS",
                        help="let the workers of a Dask cluster do it, which must see the same "
                        "files; ADDRESS is its scheduler's, such as tcp://host:8786")


@contextmanager
def connected(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The arguments for a function that takes an executor; none if there is no --dask."""
    if not options.dask:
        yield {}
        return
    try:
        import distributed
    except ImportError as error:
        raise ImportError("--dask needs Dask: pip install distributed") from error
    make: Any = distributed.Client
    with make(options.dask, timeout=10) as client:
        threads = sum(client.nthreads().values())
        note(options, f"cs336-bpe: {options.dask}: {plural(threads, 'thread')} of "
             f"{plural(len(client.nthreads()), 'worker')}")
        with client.get_executor() as executor:
            yield {"executor": executor, "in_flight": max(TASKS_PER_THREAD * threads, 4)}
