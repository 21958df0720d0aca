"""Ablations that can be run again: build variants of compiled modules, check them, time them.

    CS336_BPE_DATA=folder python benchmarks/variants/variants.py              # all
    CS336_BPE_DATA=folder python benchmarks/variants/variants.py pretokenize/last_rung

An experiment is a file `benchmarks/variants/LADDER/NAME.py` that defines `EXPERIMENT`; README.md in
this folder says how to write one. Each variant is a copy of the package in a temporary folder, with
its change made and the modules that it touches compiled anew, by setup.py and with its flags. So is
the product, unchanged, which makes the comparison fair. Every timing is a fresh process that
imports one of the copies; the copies take turns. A variant whose result differs from the product's
stops the experiment.
"""

import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import common  # noqa: E402 (it lies in the folder above)
from tasks import TASKS, find_stage  # noqa: E402

PRODUCT = "as it is"


@dataclass(frozen=True)
class Variant:
    """One change to the package, and why somebody would make it."""

    name: str
    why: str
    defines: tuple[str, ...] = ()  # -D switches for the compiler
    replace: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # in a file: old, new
    edits: dict[str, Callable[[str], str]] = field(default_factory=dict)  # of a file's whole text
    files: dict[str, str] = field(default_factory=dict)  # a file: the one beside EXPERIMENT for it
    environment: dict[str, str] = field(default_factory=dict)  # of the process that is timed


@dataclass(frozen=True)
class Experiment:
    """Variants of some modules, a task that all of them do, and the texts that they do it on."""

    question: str
    task: str  # a function of tasks.py
    variants: tuple[Variant, ...]
    stage: str = "last"  # which the task is given: its idea or number, or the last of the ladder
    modules: tuple[str, ...] = ()  # compiled modules that see the change; () is the stage's own
    texts: tuple[str, ...] = ("web",)
    made: bool = False  # the task makes the texts itself, from these names
    options: tuple[str, ...] = ()  # further arguments of the task
    rounds: int = 5


def changed(variant, name, text):
    """The text of a file of the package, as the variant has it."""
    for old, new in variant.replace.get(name, ()):
        if text.count(old) != 1:
            raise SystemExit(f"variant {variant.name!r}: {name} has {text.count(old)} times what "
                             f"it replaces, not once: {old!r}")
        text = text.replace(old, new)
    after = variant.edits[name](text) if name in variant.edits else text
    if name in variant.edits and after == text:
        raise SystemExit(f"variant {variant.name!r}: its edit changes nothing in {name}")
    return after


def build(folder, modules, variant=None, beside=None):
    """A copy of the package in `folder`, with the change of a variant, compiled."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(common.ROOT / "cs336_bpe", folder / "cs336_bpe", ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(common.ROOT / name, folder)
    defines = ()
    if variant is not None:
        defines = variant.defines
        for name, other in variant.files.items():
            shutil.copyfile(beside / other, folder / "cs336_bpe" / name)
        for name in {**variant.replace, **variant.edits}:
            path = folder / "cs336_bpe" / name
            path.write_text(changed(variant, name, path.read_text(encoding="utf-8")), "utf-8")
    for module in modules:  # neither old objects nor old C++ may stay
        base = folder / module.replace(".", "/")
        for old in [*base.parent.glob(f"{base.name}.*.so"), base.with_suffix(".c"),
                    base.with_suffix(".cpp")]:
            old.unlink(missing_ok=True)
    if modules:
        flags = " ".join([os.environ.get("CPPFLAGS", ""), *(f"-D{name}" for name in defines)])
        done = subprocess.run(
            [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, text=True,
            capture_output=True, env={**os.environ, "CPPFLAGS": flags, "PYTHONPATH": str(folder),
                                      "CS336_BPE_ONLY": " ".join(modules)})
        if done.returncode:
            raise SystemExit(f"can't build {variant.name if variant else PRODUCT!r}:\n"
                             f"{done.stdout}{done.stderr}")


def compiled_modules(experiment):
    """The modules to build anew, as dotted names."""
    stage = find_stage(TASKS[experiment.task][1], experiment.stage)
    own = (stage.module_name,) if stage.compiled else ()
    return tuple(f"cs336_bpe.{name}" for name in experiment.modules) or own


def run_task(folder, experiment, text, environment):
    """One fresh process: seconds and the digest of the result."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / "tasks.py"), experiment.task, experiment.stage, str(text),
         *experiment.options],
        check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "1", **environment})
    result = json.loads(done.stdout)
    if not result["package"].startswith(str(folder)):
        raise SystemExit(f"{result['package']} was measured instead of the copy in {folder}")
    return result


def run_experiment(name, experiment):
    """Build, check and time all variants on all texts."""
    modules = compiled_modules(experiment)
    variants = {PRODUCT: None, **{variant.name: variant for variant in experiment.variants}}
    with tempfile.TemporaryDirectory() as temporary:
        folders = {}
        for place, (title, variant) in enumerate(variants.items()):
            folders[title] = Path(temporary).resolve() / str(place)
            folders[title].mkdir()
            build(folders[title], modules, variant, (FOLDER / name).parent)
            print("built", title, flush=True)
        texts = {}
        for text in experiment.texts:
            path = text if experiment.made else common.corpus(text)
            seconds = {title: [] for title in variants}
            more = {title: {} for title in variants}
            digest = None
            for _ in range(experiment.rounds):
                for title, folder in folders.items():
                    variant = variants[title]
                    result = run_task(folder, experiment, path,
                                      variant.environment if variant else {})
                    digest = digest or result["digest"]
                    if result["digest"] != digest:
                        raise SystemExit(f"{title!r} does not give the result of {PRODUCT!r}")
                    seconds[title].append(result["seconds"])
                    for key, value in result.get("more", {}).items():
                        more[title].setdefault(key, []).append(value)
            texts[text] = {"seconds": seconds, "more": more, "digest": digest}
            for title, values in seconds.items():
                print(f"{text}: {title}: {statistics.median(values):.4f} s "
                      f"({min(values):.4f} to {max(values):.4f})", flush=True)
    stage = find_stage(TASKS[experiment.task][1], experiment.stage)
    return {"question": experiment.question, "task": experiment.task, "stage": stage.name,
            "rounds": experiment.rounds, "texts_measured": texts,
            "why": {variant.name: variant.why for variant in experiment.variants}}


def read_experiment(name):
    path = FOLDER / f"{name}.py"
    if not path.exists():
        raise SystemExit(f"there is no variant {name!r}; there are {', '.join(all_names())}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.EXPERIMENT


def all_names():
    return sorted(str(path.relative_to(FOLDER).with_suffix(""))
                  for path in FOLDER.glob("*/[!_]*.py"))


def make(name):
    def experiment():
        common.save("variants", name.replace("/", "_"),
                    run_experiment(name, read_experiment(name)))
    return experiment


if __name__ == "__main__":
    sys.modules["variants"] = sys.modules["__main__"]  # experiments say `from variants import ...`
    common.run_experiments({name: make(name) for name in all_names()})
