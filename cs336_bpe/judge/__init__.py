"""A reader's own code on the ladder: is it right, and if not, which rule does it break?"""

from cs336_bpe.judge.training import Finding, Verdict, judge_trainer

__all__ = ["Finding", "Verdict", "judge_trainer"]
