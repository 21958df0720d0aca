"""Atomic writing: the whole file, or what was there before."""

import errno
import os
import stat
import subprocess
import sys

import pytest

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.pretokenize.counts import PretokenCounts

SMALL = {b"low": 5, b"lower": 2}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.counts"


class Stop(Exception):
    pass


@pytest.mark.parametrize("error", [Stop, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError])
@pytest.mark.parametrize("old", [None, b"what was there"])
@pytest.mark.parametrize("size", [0, 10, 1_000_000])
def test_a_failing_block_leaves_nothing(path, error, old, size):
    if old is not None:
        path.write_bytes(old)
    files = []

    def write_and_fail():
        with atomic_writer(path) as file:
            files.append(file)
            file.write(b"x" * size)
            names = os.listdir(path.parent)
            assert len(names) == 1 + (old is not None)
            assert all(name.startswith(path.name) for name in names)
            raise error

    with pytest.raises(error):
        write_and_fail()
    assert files[0].closed
    if old is None:
        assert os.listdir(path.parent) == []
    else:
        assert os.listdir(path.parent) == [path.name]
        assert path.read_bytes() == old


def test_the_name_appears_when_all_is_written(path):
    with atomic_writer(path) as file:
        file.write(b"one ")
        assert not path.exists()
        assert ".part" in os.listdir(path.parent)[0]
        file.write(b"two")
    assert file.closed
    assert path.read_bytes() == b"one two"
    assert os.listdir(path.parent) == [path.name]


def test_two_writers_of_one_file(path):
    with atomic_writer(path) as first, atomic_writer(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"  # the last to finish
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_at_the_end(path, monkeypatch, step, error):
    def fail(*args):
        names = [arg for arg in args if isinstance(arg, str)]  # as the system's errors have them
        if error is OSError and len(names) == 2:
            raise OSError(errno.EIO, "Input/output error", names[0], None, names[1])
        raise error(errno.EIO, "Input/output error", *names)

    path.write_bytes(b"what was there")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(error) as caught:
        PretokenCounts(SMALL).save(path)
    monkeypatch.undo()
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == b"what was there"
    if error is OSError:
        assert str(caught.value) == f"[Errno 5] Input/output error: {str(path)!r}"


FULL_DISK = """
import resource, sys
from cs336_bpe.pretokenize.counts import PretokenCounts
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    PretokenCounts({b"%d" % n: 1 for n in range(int(sys.argv[2]))}).save(sys.argv[1])
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize("number", [4_000, 100_000])  # less and more than a file object buffers
@pytest.mark.parametrize("old", [None, b"what was there"])
def test_a_full_disk(path, number, old):
    pytest.importorskip("resource")
    if old is not None:
        path.write_bytes(old)
    result = subprocess.run([sys.executable, "-c", FULL_DISK, path, str(number)],
                            capture_output=True, text=True, check=True)
    assert f"[Errno {errno.EFBIG}]" in result.stdout
    assert str(path) in result.stdout
    assert ".part" not in result.stdout
    assert os.listdir(path.parent) == ([] if old is None else [path.name])
    assert old is None or path.read_bytes() == old


def test_errors_name_the_file_once_and_others_keep_their_own(path):
    with pytest.raises(FileNotFoundError, match="other") as caught, atomic_writer(path):
        open(path.parent / "other")  # noqa: SIM115
    assert caught.value.filename == str(path.parent / "other")
    with pytest.raises(OSError, match=r"^no number, no name$"), atomic_writer(path):
        raise OSError("no number, no name")
    with pytest.raises(OSError, match="No space left") as caught, atomic_writer(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.filename == str(path)
    assert os.listdir(path.parent) == []


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield
    os.umask(old)


@pytest.mark.usefixtures("umask")
def test_permissions(path):
    PretokenCounts(SMALL).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    for mode in (0o600, 0o644, 0o666, 0o755):  # more than the umask allows, too
        path.chmod(mode)
        PretokenCounts(SMALL).save(path)
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_private_file_is_private_from_the_start(path, monkeypatch):
    path.write_bytes(b"")
    path.chmod(0o600)
    monkeypatch.setattr(os, "chmod", lambda *args: None)  # it would come too late
    with atomic_writer(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600


def test_no_permission(path, monkeypatch):
    path.write_bytes(b"what was there")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *args: False)  # root may do everything
    with pytest.raises(PermissionError, match=r"Is read-only; choose another name: .*small"):
        PretokenCounts(SMALL).save(path)
    assert path.read_bytes() == b"what was there"
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_without_permission(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o555)
    with pytest.raises(PermissionError) as caught:
        PretokenCounts(SMALL).save(folder / "a.counts")
    assert caught.value.filename == str(folder / "a.counts")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.counts"
    link.symlink_to(tmp_path / "real" / "a.counts")
    for counts in (PretokenCounts(SMALL), PretokenCounts({b"a": 1})):
        counts.save(link)
        assert link.is_symlink()
        assert PretokenCounts.load(tmp_path / "real" / "a.counts") == counts
    assert sorted(os.listdir(tmp_path)) == ["link.counts", "real"]
    assert os.listdir(tmp_path / "real") == ["a.counts"]


def test_devices_and_pipes_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match=r"Is not a regular file, so it can't be replaced: .*pipe"):
        PretokenCounts(SMALL).save(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["", "folder/"])
def test_names_without_a_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IsADirectoryError, match="give the name of a file"):
        PretokenCounts(SMALL).save(name)
    assert os.listdir(tmp_path) == []


def test_bad_paths():
    for bad in (3, None, 1.5):
        with pytest.raises(TypeError, match=r"str, bytes or os\.PathLike"):
            PretokenCounts(SMALL).save(bad)
        with pytest.raises(TypeError, match=r"str, bytes or os\.PathLike"):
            PretokenCounts.load(bad)


def test_a_name_as_long_as_names_may_be(tmp_path):
    path = tmp_path / ("n" * 250)
    PretokenCounts({b"low": 5}).save(path)
    assert PretokenCounts.load(path) == {b"low": 5}


# --- Parts that were left behind ------------------------------------------------------------

KILLED = """
import os, signal, sys
from cs336_bpe.common.atomic_files import atomic_writer
with atomic_writer(sys.argv[1]) as file:
    file.write(b"x" * 100_000)
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals and locks")
def test_what_a_killed_program_left_is_removed_by_the_next(path):
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert len(os.listdir(path.parent)) == 1
    others = ["small.countsX.part0123456789abcdef", "small.counts.part0123456789abcde",
              "small.counts.part0123456789abcdeX", "other.part0123456789abcdef",
              "small.counts.part0123456789abcdef.txt", "my.small.counts.part0123456789abcdef"]
    for name in others:
        (path.parent / name).write_bytes(b"")
    with atomic_writer(path) as first:  # a part that is being written stays
        PretokenCounts(SMALL).save(path)
        first.write(b"the last")
    assert path.read_bytes() == b"the last"
    assert sorted(os.listdir(path.parent)) == sorted([path.name, *others])


@pytest.mark.skipif(os.name != "posix", reason="needs links and pipes")
def test_links_pipes_and_folders_that_look_like_parts(path):
    (path.parent / "kept").write_bytes(b"kept")
    (path.parent / "small.counts.part0000000000000000").symlink_to(path.parent / "kept")
    os.mkfifo(path.parent / "small.counts.part1111111111111111")
    (path.parent / "small.counts.part2222222222222222").mkdir()
    PretokenCounts(SMALL).save(path)
    assert (path.parent / "kept").read_bytes() == b"kept"
    assert PretokenCounts.load(path) == SMALL


@pytest.mark.skipif(os.name != "posix", reason="needs locks")
def test_a_part_that_is_taken_for_abandoned_before_it_is_locked(path, monkeypatch):
    """Another program sees it between its creation and its lock, and removes it."""
    fcntl = pytest.importorskip("fcntl")
    lock = fcntl.flock
    calls = []

    def late(number, how):
        calls.append(number)
        if len(calls) == 1:
            [part] = path.parent.iterdir()
            part.unlink()
        lock(number, how)

    monkeypatch.setattr(fcntl, "flock", late)
    PretokenCounts(SMALL).save(path)
    assert len(calls) == 2
    assert os.listdir(path.parent) == [path.name]
    assert PretokenCounts.load(path) == SMALL
