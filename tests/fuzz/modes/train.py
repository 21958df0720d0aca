"""Every stage of training against the definition, with both rules for ties."""

from cs336_bpe import stages
from fuzz import texts
from fuzz.core import outcome

DEFINITION, *OTHERS = stages.ladder("train")
OPTIONS = {"tie_break", "processes"}


def make(rng):
    counts = texts.counts(rng, rng.choice([4, 12, 40]), rng.choice([6, 12, 40]))
    if rng.random() < 0.05:
        counts[b"large"] = rng.choice([2**62, 2**63 - 1, 2**63, -1, 2**31, 2**32])
    return {"counts": counts, "num_merges": rng.choice([0, 1, 5, 30, 300]),
            "tie_break": rng.choice(["lexicographic", "lexicographic", "huggingface"]),
            "processes": rng.random() < 0.02}


def check(same, counts, num_merges, tie_break, processes):
    def learn(stage):
        return outcome(lambda: stage.load().learn_merges(counts, num_merges, tie_break=tie_break))

    expected = learn(DEFINITION)
    for stage in OTHERS:
        if processes or not stage.name.startswith("detour"):
            same(learn(stage), expected, stage.name)
