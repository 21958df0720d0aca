"""The house: imports go down a floor, never up or in a circle, and take no private names.

Every import counts, wherever it stands: at the top, late in a function, under TYPE_CHECKING, a
cimport, a C include. A late import may save time, but it hides no need for a higher floor.
"""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "cs336_bpe"

FLOORS = [
    {"_version"},
    {"common"},
    {"stages"},
    {"rules"},
    {"patterns"},
    {"native"},
    {"text"},
    {"model"},
    {"inputs"},
    {"pretokenize"},
    {"train", "encode", "decode"},
    {"formats"},
    {"views"},
    {"tokenizer"},
    {"corpora", "cost", "measure"},
    {"judge"},
    {"reproduce"},
    {"pages"},
    {"commands"},
    {"cli"},
    {"", "__main__", "adapters"},  # "" is the package itself, which only hands out names
]
FLOOR_OF = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
MOST_ROOT_FILES = 10


def module_name(path):
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    if path.suffix == ".h":
        parts.append("h")  # beside x.pxd and x.pyx, which are one module, there may be x.h
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(module):
    return module.partition(".")[0]


def python_imports(text):
    """(module, names) of each import of this package; an attribute of a module counts as a name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, []
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports hide which floor they go to"
            yield node.module, [alias.name for alias in node.names]


def cython_imports(text):
    pattern = r"^[ \t]*from[ \t]+(cs336_bpe[\w.]*)[ \t]+c?import[ \t]+(?:\(([^)]*)\)|([^\n#]+))"
    for match in re.finditer(pattern, text, re.M):
        names = (match[2] or match[3]).replace("\n", " ").split(",")
        yield match[1], [name.split(" as ")[0].strip() for name in names if name.strip()]
    for match in re.finditer(r"^[ \t]*c?import[ \t]+(cs336_bpe[\w.]*)", text, re.M):
        yield match[1], []


def included_headers(path, text):
    for name in re.findall(r'(?:#include|cdef extern from|^include)[ \t]+"([^"]+)"', text, re.M):
        for folder in (path.parent, PACKAGE / "native"):
            if (folder / name).exists():
                yield (folder / name).resolve()
                break


def sources():
    files = [path for suffix in ("py", "pyx", "pxd", "pyi", "h") for path in
             sorted(PACKAGE.rglob(f"*.{suffix}"))]
    assert len(files) > 100
    return files


def edges(path, text=None):
    """What a file imports or includes, as names of modules of this package."""
    text = path.read_text(encoding="utf-8") if text is None else text
    for header in included_headers(path, text):
        yield module_name(header), []
    if path.suffix == ".h":
        return
    found = cython_imports(text) if path.suffix in (".pyx", ".pxd") else python_imports(text)
    for module, names in found:
        if module != "cs336_bpe" and not (module or "").startswith("cs336_bpe."):
            continue
        inside = module.removeprefix("cs336_bpe").removeprefix(".")
        submodules = [name for name in names if is_module(f"{inside}.{name}".strip("."))]
        for name in submodules:
            yield f"{inside}.{name}".strip("."), []
        rest = [name for name in names if name not in submodules]
        if rest or not names:
            yield inside, rest


def is_module(name):
    path = PACKAGE.joinpath(*name.split("."))
    return path.is_dir() or any(path.with_suffix(s).exists() for s in (".py", ".pyx", ".pxd"))


def upward(path, text=None):
    """The imports of a file that go up, or across to another room of the same floor."""
    here = room(module_name(path))
    return [target for target, _ in edges(path, text) if room(target) != here
            and FLOOR_OF[room(target)] >= FLOOR_OF[here]]


def private(path, text=None):
    """Names with an underscore that a file takes from another module."""
    return [f"{target}.{name}" for target, names in edges(path, text) for name in names
            if name.startswith("_") and not name.startswith("__")]


def private_attributes(text):
    """`module._name` and `object._name`, unless this file itself has a class with that name."""
    tree = ast.parse(text)
    own = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
           and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")}
    own |= {node.name for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
            and node.attr.startswith("_") and not node.attr.startswith("__")
            and node.attr not in own]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    assert upward(path) == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_private_names_of_other_modules(path):
    assert private(path) == []
    if path.suffix == ".py":
        assert private_attributes(path.read_text(encoding="utf-8")) == []


def circle(graph):
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_no_circles():
    graph = {}
    for path in sources():
        if path.suffix == ".pyi":
            continue  # describes the .pyx beside it
        name = module_name(path)
        for target, _ in edges(path):
            # A room's __init__ hands out names of its modules, which import each other directly.
            if target != name and target != room(name):
                graph.setdefault(name, set()).add(target)
    assert circle(graph) is None


def test_the_root_is_small():
    files = [path.name for path in PACKAGE.iterdir()
             if path.is_file() and path.suffix in (".py", ".pyx", ".pyi", ".pxd", ".h", ".typed")]
    assert len(files) <= MOST_ROOT_FILES, files


def test_every_room_has_a_floor_and_says_what_it_is():
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert rooms <= set(FLOOR_OF)
    for name in rooms:
        assert ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_text("utf-8")))


ABOUT_ALL_ROOMS = {"exercises", "fuzz", "mutants"}


@pytest.mark.parametrize("room_name", sorted(path.name for path in (ROOT / "tests").iterdir()
                                             if path.is_dir() and path.name[0] != "_"))
def test_tests_have_the_same_rooms(room_name):
    assert room_name in FLOOR_OF or room_name in ABOUT_ALL_ROOMS


# --- and each of these can fail -----------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "from cs336_bpe.tokenizer import Tokenizer",
    "from cs336_bpe import tokenizer",
    "import cs336_bpe.tokenizer.tokenizer",
    "def late():\n    from cs336_bpe.tokenizer import Tokenizer",
    "if TYPE_CHECKING:\n    from cs336_bpe.tokenizer import Tokenizer",
    "from cs336_bpe import Tokenizer",
    "from cs336_bpe.encode.trace import x",  # across: train and encode are on one floor
])
def test_an_upward_import_is_found(text):
    assert upward(PACKAGE / "train" / "__init__.py", text)


def test_an_upward_cimport_and_include_are_found():
    path = PACKAGE / "pretokenize" / "columns.pyx"
    assert upward(path, "from cs336_bpe.tokenizer.engine cimport Ids")
    header = next((PACKAGE / "encode").glob("*.h")).name
    assert upward(path, f'cdef extern from "../encode/{header}":\n    pass')


def test_a_private_name_is_found():
    path = PACKAGE / "train" / "__init__.py"
    assert private(path, "from cs336_bpe.rules.checks import _x") == ["rules.checks._x"]
    assert private_attributes("tokenizer._encode(1)") == ["_encode"]
    assert private_attributes("class A:\n def f(self, other):\n  return self._x + other._x") == []


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) is not None
