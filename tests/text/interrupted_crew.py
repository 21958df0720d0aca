"""A crew, and Ctrl-C at one place of the main thread after the other: `python interrupted_crew.py`.

Each round comes one place further, until one ends that was not interrupted. Python looks for
signals after calls, when a function begins and when a loop begins again. So these are the places,
in crew.py and in what it calls of the standard library's conditions.
"""

import dis
import faulthandler
import os
import sys
import threading
import time

from cs336_bpe.text import crew

CONDITIONS = {"__enter__", "__exit__", "notify", "notify_all", "_is_owned"}
LOOKS = {"CALL", "CALL_FUNCTION", "CALL_METHOD", "CALL_KW", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX",
         "JUMP_BACKWARD", "JUMP_ABSOLUTE", "RESUME"}


class Interrupts:
    """Raises KeyboardInterrupt at one place, and again so many places later."""

    def __init__(self, first, second):
        self.left = [first, second]
        self.raised = 0
        self.before = {}  # the last instruction of a frame

    def __call__(self, frame, event, argument):
        name = frame.f_code.co_filename
        if not (name == crew.__file__ or (name == threading.__file__
                                          and frame.f_code.co_name in CONDITIONS)):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        if event == "opcode":
            before = self.before.get(frame)
            self.before[frame] = frame.f_lasti
            if before is not None and dis.opname[frame.f_code.co_code[before]] in LOOKS:
                self.step()
        return self

    def step(self):
        if self.left:
            self.left[0] -= 1
            if self.left[0] < 0:
                del self.left[0]
                self.raised += 1
                raise KeyboardInterrupt


def num_threads():
    return len(os.listdir("/proc/self/task"))


def run(first, second, threads):
    """Whether it was interrupted. `threads` are there already."""
    interrupts = Interrupts(first, second)
    items = iter(range(6))
    used = []
    shared = crew._Crew(lambda thread: next(items, None), [lambda item: item] * 2, used.append)
    sys.settrace(interrupts)
    try:
        shared.run(lambda: None)
    except KeyboardInterrupt:
        sys.settrace(None)
        assert interrupts.raised
        assert used == list(range(len(used)))
    else:
        sys.settrace(None)
        assert not interrupts.raised
        assert used == list(range(6))
    assert all(shared.ended[: shared.num_started])
    deadline = time.monotonic() + 20
    while num_threads() > threads:  # one that nobody knew may need a moment
        assert time.monotonic() < deadline, f"a thread does not end: {first}, {second}"
        time.sleep(0.001)
    return interrupts.raised > 0


def main():
    faulthandler.dump_traceback_later(100, exit=True)
    threads = num_threads()  # the one that waits for that, and those of numpy
    rounds = 0
    for second in (10**9, 0, 1, 2, 5):
        first = 0
        while run(first, second, threads):
            first += 1
            rounds += 1
    print(rounds, "rounds")


if __name__ == "__main__":
    main()
