"""Memory of the processes that a stage starts."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from cs336_bpe import stages
from cs336_bpe.corpora import generated
from cs336_bpe.measure.counting import measure_counting
from cs336_bpe.measure.process import WorkersMemory, measure_call

linux = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
GRANDCHILD = """
import subprocess, sys
code = "import sys; held = bytearray(50_000_000); print(flush=True); sys.stdin.read()"
child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
child.stdout.readline()
print(flush=True)
sys.stdin.read()
child.stdin.close()
child.wait()
"""


@linux
def test_children_of_children_count():
    with subprocess.Popen([sys.executable, "-c", GRANDCHILD], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        seen = WorkersMemory()
        seen.watch(child.pid)
        child.stdin.close()
    assert 50_000_000 < seen.peak_bytes < 100_000_000
    time.sleep(0.01)
    before = seen.peak_bytes
    seen.watch(child.pid)  # it has ended
    assert seen.peak_bytes == before


@linux
def test_processes_of_a_stage_count(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(generated.stories(2_000_000), encoding="utf-8")
    stage = next(stage for stage in stages.STAGES if "processes" in stage.name)
    one, two = (measure_counting(stage, path, ["<|endoftext|>"], workers=workers)
                for workers in (1, 2))
    assert one.digest == two.digest
    assert two.peak_bytes > one.peak_bytes


HOLD = """
import time
held = bytearray(50_000_000)
time.sleep(0.3)  # so that somebody looks
"""


@linux
def test_a_call_is_measured_with_all_its_processes():
    seen = []
    call = measure_call(subprocess.run, [sys.executable, "-c", HOLD], watch=seen.append)
    assert call.value.returncode == 0
    assert call.seconds >= 0.3
    assert 50_000_000 < call.peak_bytes < 150_000_000
    assert len(set(seen)) == 1


def test_an_error_of_a_call_is_raised():
    with pytest.raises(ZeroDivisionError):
        measure_call(divmod, 1, 0)
