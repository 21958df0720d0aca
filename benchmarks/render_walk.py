"""The picture of docs/walk.md, drawn from the page itself and from the floors of the house."""

import ast
import re
from html import escape

from rendering import BLUE, GREEN, ORANGE, ROOT

STATION = re.compile(r"^\d+\. \[`([^`]+)`\]", re.M)
WIDTH, LEFT, TOP, FLOOR = 1600, 150, 50, 50
COLOURS = (BLUE, ORANGE, GREEN)


def floors():
    """The floors from the highest to the lowest, as tests/test_house.py has them."""
    tree = ast.parse((ROOT / "tests/test_house.py").read_text("utf-8"))
    [value] = [node.value for node in tree.body if isinstance(node, ast.Assign)
               and node.targets[0].id == "FLOORS"]
    return [sorted(rooms) for rooms in reversed(ast.literal_eval(value))]


def walks():
    """(title, files) of each section of the page."""
    page = (ROOT / "docs/walk.md").read_text("utf-8")
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        yield title.partition(":")[0], STATION.findall(text)


def walk():
    """Time goes from left to right, and each file is on the floor of its room."""
    used = {file.partition("/")[0].removesuffix(".py") for _, files in walks() for file in files}
    rows = [[room for room in rooms if room in used] for rooms in floors()]
    rows = [rooms for rooms in rows if rooms]
    height_of = {room: TOP + FLOOR * row for row, rooms in enumerate(rows) for room in rooms}
    number = sum(len(files) for _, files in walks())
    step = (WIDTH - LEFT - 60) / (number + len(list(walks())))
    bottom = TOP + FLOOR * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 20}" '
             f'font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{bottom + 20}" fill="white"/>']
    for row, rooms in enumerate(rows):
        top = TOP + FLOOR * row - FLOOR / 2
        shade = "#f4f4f4" if row % 2 else "#ffffff"
        parts.append(f'<rect x="10" y="{top}" width="{WIDTH - 20}" height="{FLOOR}" '
                     f'fill="{shade}"/>')
        parts.append(f'<text x="20" y="{top + FLOOR / 2 + 5}" fill="#444">'
                     f'{escape(", ".join(rooms))}</text>')
    x = LEFT
    for colour, (title, files) in zip(COLOURS, walks()):
        points = []
        first = x
        for place, file in enumerate(files, 1):
            room, _, name = file.rpartition("/")
            y = height_of[room or file.removesuffix(".py")]
            points.append((x, y))
            label = f"{place} {name}"
            parts.append(f'<circle cx="{x:.0f}" cy="{y}" r="5" fill="{colour}"/>')
            beside = [b for _, b in points].count(y) % 2  # neighbours on a floor take turns
            side = -10 if beside else 20
            parts.append(f'<text x="{x:.0f}" y="{y + side}" font-size="11" text-anchor="middle" '
                         f'stroke="white" stroke-width="3" paint-order="stroke">'
                         f'{escape(label)}</text>')
            x += step
        line = " ".join(f"{a:.0f},{b}" for a, b in points)
        parts.insert(-2 * len(files), f'<polyline points="{line}" fill="none" stroke="{colour}" '
                                      f'stroke-width="2"/>')
        parts.append(f'<text x="{first:.0f}" y="20" fill="{colour}" font-weight="bold">'
                     f'{escape(title)}</text>')
        x += step
    parts.append("</svg>")
    (ROOT / "docs/figures/walk.svg").write_text("\n".join(parts) + "\n", "utf-8")


MAKERS = ()
PLOTS = (walk,)
