"""One run at a time in a folder: between threads, processes, and after a process was killed."""

import os
import signal
import subprocess
import sys

import pytest

from cs336_bpe.common.folder_locks import alone_in

HOLDER = """
import os, sys, time
from cs336_bpe.common.folder_locks import alone_in
with alone_in(sys.argv[1]):
    if os.fork() == 0:  # a child that outlives its parent
        print("holds", flush=True)
        os.close(1)
    time.sleep(60)
"""


def is_free(folder):
    try:
        with alone_in(folder):
            return True
    except OSError as error:
        if "Another run is at work in this folder" not in error.strerror:
            raise
        return False


def test_a_second_run_is_kept_out(tmp_path):
    with alone_in(tmp_path):
        assert not is_free(tmp_path)
        assert is_free(tmp_path.parent)
    assert is_free(tmp_path)


def test_an_error_ends_it(tmp_path):
    with pytest.raises(KeyError), alone_in(tmp_path):
        raise KeyError
    assert is_free(tmp_path)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # Python 3.12: threads run
def test_a_child_does_not_have_the_lock(tmp_path):
    """Nor does it end its parent's, if it leaves the block."""
    with alone_in(tmp_path):
        child = os.fork()
        if not child:
            os._exit(is_free(tmp_path))
        assert os.waitpid(child, 0)[1] == 0
        assert not is_free(tmp_path)
    number = len(os.listdir("/proc/self/fd"))
    assert is_free(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == number


def test_another_process_that_is_killed(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE,
                          start_new_session=True) as process:
        try:
            assert process.stdout.readline() == b"holds\n"
            assert not is_free(tmp_path)
            process.kill()
            process.wait()
            assert is_free(tmp_path)  # though its child lives
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError), alone_in(tmp_path / "none"):
        pass
