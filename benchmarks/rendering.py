"""What the makers of tables and plots share, and how a page is filled; see render.py."""

import os
import re
import textwrap
from functools import lru_cache

import common
from common import RESULTS, ROOT  # noqa: F401 (for the makers)

from cs336_bpe import stages
from cs336_bpe.common.amounts import three_digits as number  # noqa: F401 (for the makers)
from cs336_bpe.measure import ladders
from cs336_bpe.measure.machine import describe_caches

BLOCK = re.compile(r"<!-- generated:(\w+) ?(\S*) -->\n(.*?)<!-- /generated -->", re.DOTALL)
VALUE = re.compile(r"(?<!`)(<!--\s+value:(\w+)((?:\s+[^\s>]+)*?)\s+-->).*?(<!--\s+/value\s+-->)",
                   re.DOTALL)  # a line may end anywhere in a mark
LINK = re.compile(r"\]\(@([^)#]+)")  # of a table, from the root
MARK = re.compile(r"(?<!`)<!--\s*(?:value|generated):")
PAGE_WIDTH = 100
CODE = re.compile(r"`[^`]+`")
NO_BREAK = "\0"


def rendered(text, makers, values, page=ROOT / "README.md"):
    """A page with all its tables, and all figures in its sentences, made anew.

    A maker does not know on which page its table will stand. It writes a link as `[text](@path)`,
    from the root, and the link becomes one from the page.
    """
    num_marks = len(MARK.findall(text))
    num_found = len(BLOCK.findall(text)) + len(VALUE.findall(text))
    if num_marks != num_found:
        raise ValueError(f"{num_marks} marks begin and {num_found} are whole; is one misspelt?")

    def from_the_page(match):
        return "](" + os.path.relpath(ROOT / match[1], page.parent).replace(os.sep, "/")

    def fill_block(match):
        name, argument = match.group(1), match.group(2)
        made = wrapped(LINK.sub(from_the_page, find(makers, name)(argument)))
        return (f"<!-- generated:{' '.join(filter(None, (name, argument)))} -->\n"
                f"{made}\n<!-- /generated -->")

    def fill_value(match):
        opening, name, arguments, closing = match.groups()
        return f"{opening}{find(values, name)(*arguments.split())}{closing}"
    return VALUE.sub(fill_value, BLOCK.sub(fill_block, text))


def wrapped(block):
    """A generated block with its sentences in lines of a page's width. Tables stay as they are, and
    a command is on one line, so that it can be copied.

    >>> wrapped("| a table |\\n" + "word " * 18 + "`one command`  ").split("\\n")[2]
    '`one command`  '
    """
    lines = []
    for line in block.split("\n"):
        if len(line) <= PAGE_WIDTH or line.startswith(("|", "<", "!", " ")):
            lines.append(line)
            continue
        ending = "  " if line.endswith("  ") else ""  # Markdown's way to begin a new line
        whole = CODE.sub(lambda match: match[0].replace(" ", NO_BREAK), line.rstrip())
        lines += [part.replace(NO_BREAK, " ") for part in textwrap.wrap(
            whole, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)]
        lines[-1] += ending
    return "\n".join(lines)


def find(makers, name):
    if name not in makers:
        raise ValueError(f"there is no {name!r}; there are {', '.join(sorted(makers))}")
    return makers[name]


@lru_cache
def load(name, of="train"):
    """A saved result; do not change it."""
    return common.load(of, name)


def current_name(ladder, name):
    """The name that a stage has now: it may have been numbered anew since a result was saved."""
    ideas = {ladders.idea_of(stage.name): stage.name for stage in stages.ladder(ladder)}
    return ideas.get(ladders.idea_of(name), name)


def not_measured(ladder, names):
    """A line that names the stages of which there is no result yet; nothing if there are all."""
    known = {current_name(ladder, name) for name in names}
    missing = [stage.number for stage in stages.ladder(ladder) if stage.name not in known]
    return [f"Not measured yet: {', '.join(missing)}.  "] if missing else []


def table(header, rows, left=1):
    """A Markdown table: the first `left` columns to the left, the others to the right."""
    rule = ["---" if column < left else "---:" for column in range(len(header))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, rule, *rows])


def ladder_table(cells):
    """A ladder's table, with the idea moved from the last column to the second.

    A column that has nothing to say (no spread, because nothing was repeated) is left out.
    """
    header, *rows = [[row[0], row[-1], *row[1:-1]] for row in cells]
    kept = [column for column in range(len(header)) if any(row[column] for row in rows)]
    shown = table([header[column] for column in kept],
                  [[row[column] for column in kept] for row in rows], left=2)
    return "\n\n".join([shown, *ladders.branches(cells)])


def source(*results, texts=()):
    """The line under a table: on which machine, with which text, when, and how to run it again.

    `texts` are names of the texts, for results from before they were saved with the results.
    """
    machines = dict.fromkeys(map(machine_of, results))
    dates = dict.fromkeys(filter(None, (result.get("date") for result in results)))
    described = dict.fromkeys(text for result in results for text in describe_texts(result, texts))
    commands = {}  # a program, and the experiments that it has to run
    for result in results:
        python, program, *names = result["command"].split()
        commands.setdefault(f"{python} {program}", {}).update(dict.fromkeys(names))
    shown = ", ".join(f"`{' '.join([program, *names])}`" for program, names in commands.items())
    parts = [" / ".join(machines), ", ".join(described), shown, " / ".join(dates)]
    return f"*{'. '.join(filter(None, parts))}*"


def machine_of(result):
    """The machine in a line, with its caches as far as they were saved."""
    caches = result.get("environment", {}).get("caches")
    if not caches:
        return result["machine"]
    return re.sub(r"(cores)( \([^)]*\))?;", rf"\1{describe_caches(caches)};", result["machine"],
                  count=1)


TEXTS_PAGE, GENERATED_PAGE = "@docs/corpora/texts.md", "@docs/corpora/generated.md"


def describe_texts(result, names):
    """Which texts a result is of, with a link to where they come from."""
    counts = result.get("corpus", {})
    if result.get("texts"):
        for text in result["texts"]:
            yield (f"[{text['name']}]({TEXTS_PAGE}) ({text['bytes']:,} bytes, sha256 "
                   f"{text['sha256'][:8]})")
    elif names:
        known = f"sha256 of the counts {counts['sha256'][:8]}" if counts else "checksum not saved"
        yield ", ".join(f"[{name}]({TEXTS_PAGE})" for name in names) + f" ({known})"
    elif counts:
        yield (f"[generated text]({GENERATED_PAGE}) ({counts['kinds']:,} distinct pretokens, "
               f"sha256 of the counts {counts['sha256'][:8]})")


BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
"""Distinguishable to colour-blind readers (the palette of Okabe and Ito)."""


PLOT_WIDTH = 6.4
"""In inches. A plot of this width with letters of 11 points can be read on a page of 400 pixels, so
panels stand one above the other."""


def pyplot():
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "cs336", "font.size": 11, "svg.fonttype": "path"})
    return plt


def save_figure(figure, name, title=None):
    """Save a plot; its title is not drawn, but read out to those who can't see it."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    (ROOT / "docs/figures").mkdir(exist_ok=True)
    about = {"Date": None} | ({"Title": title} if title else {})
    figure.savefig(ROOT / f"docs/figures/{name}.svg", metadata=about)
