"""What the tests share: the stages, from the registry, and the course's files where they are."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from cs336_bpe import stages

# Tests start hundreds of programs. Where Python is not to write what it has compiled, each of them
# would compile the package anew, which takes longer than most of what they do.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp(prefix="compiled-")
    atexit.register(shutil.rmtree, os.environ["PYTHONPYCACHEPREFIX"], ignore_errors=True)

settings.register_profile(
    "default", deadline=None, derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# For tests/mutants: that an example fails is enough, and to look for a smaller one takes minutes.
settings.register_profile("mistakes", settings.get_profile("default"),
                          phases=[Phase.explicit, Phase.generate])
settings.load_profile("default")

TRAIN_STAGES = stages.ladder("train")


@pytest.fixture(params=TRAIN_STAGES[1:], ids=lambda stage: stage.name)
def train_stage(request):
    """Each training stage but the definition; a compiled one that was not built fails here."""
    return request.param.load()


@pytest.fixture(params=TRAIN_STAGES, ids=lambda stage: stage.name)
def any_train_stage(request):
    return request.param.load()


@pytest.fixture(scope="session")
def data():
    """The folder with the real corpora. Tests that use it are skipped where it is not."""
    folder = os.environ.get("CS336_BPE_DATA")
    if not folder:
        pytest.skip("needs the real corpora: set CS336_BPE_DATA to their folder")
    return Path(folder)
