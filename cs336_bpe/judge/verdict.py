"""What there is to say about somebody's program."""

from dataclasses import dataclass, field
from typing import Any

from cs336_bpe.judge.sandbox import Outcome

MOST_SHOWN = 3
MOST_COSTLY = 2  # probes that never end, take all memory or end the process


@dataclass
class Finding:
    """One thing that is not as it should be, in words."""

    probe: str
    rule: str
    words: str


@dataclass
class Verdict:
    """What there is to say about somebody's program."""

    name: str
    num_probes: int = 0
    num_costly: int = 0
    findings: list[Finding] = field(default_factory=list)
    diagnosis: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float | None = None  # on the corpus, if it came that far

    @property
    def is_right(self) -> bool:
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "probes": self.num_probes, "right": self.is_right,
                "findings": [vars(finding) for finding in self.findings],
                "diagnosis": self.diagnosis, "notes": self.notes, "seconds": self.seconds}

    def __str__(self) -> str:
        if self.is_right:
            lines = [f"{self.name} gives the results of stage 01 on all {self.num_probes} probes."]
        else:
            lines = [f"{self.name} differs from stage 01 on {len(self.findings)} of "
                     f"{self.num_probes} probes."]
            lines += [f"  -> {words}" for words in self.diagnosis]
            for finding in self.findings[:MOST_SHOWN]:
                lines.append(f"  {finding.probe} ({finding.rule}): {finding.words}")
            if len(self.findings) > MOST_SHOWN:
                lines.append(f"  ... and {len(self.findings) - MOST_SHOWN} more")
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


def is_hopeless(outcome: Outcome, verdict: Verdict) -> bool:
    """Whether there is no point in going on: it can't be imported, or has cost enough time."""
    verdict.num_costly += outcome.kind in ("time", "memory", "died")
    if outcome.kind == "missing" or verdict.num_costly >= MOST_COSTLY:
        verdict.notes.append("the other probes were not tried")
        return True
    return False
