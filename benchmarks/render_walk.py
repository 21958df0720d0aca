"""The picture of docs/walk.md, drawn from the page itself and from the floors of the house."""

import ast
import re
from functools import partial

from pictures.drawing import SMALL, Picture
from rendering import BLUE, GREEN, ORANGE, ROOT

STATION = re.compile(r"^\d+\. \[`([^`]+)`\]", re.M)
LEFT, RIGHT = 20, 260
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
    """Time goes down the page, and a file is the further right the lower the floor of its room."""
    used = {file.partition("/")[0].removesuffix(".py") for _, files in walks() for file in files}
    rows = [[room for room in rooms if room in used] for rooms in floors()]
    floor_of = {room: floor for floor, rooms in enumerate(filter(None, rows)) for room in rooms}
    step = (RIGHT - LEFT) / (len(set(floor_of.values())) - 1)
    picture = Picture("Three bytes on their way through the floors of the house, file by file")
    picture.words(LEFT - 8, 24, "top floor", at="start", size=SMALL, colour="#555")
    picture.words(RIGHT + 8, 24, "ground floor", at="end", size=SMALL, colour="#555")
    top, y = 34, 34
    drawn = []
    for colour, (title, files) in zip(COLOURS, walks()):
        y += 34
        drawn.append(partial(picture.words, RIGHT + 34, y - 4, title, at="start", bold=True,
                             colour=colour))
        points = []
        for place, file in enumerate(files, 1):
            y += 26
            room = file.rpartition("/")[0].partition("/")[0] or file.removesuffix(".py")
            points.append((LEFT + step * floor_of[room], y - 6))
            drawn.append(partial(picture.words, RIGHT + 34, y, f"{place} {file}", at="start",
                                 size=SMALL))
        if len(points) > 1:
            drawn.append(partial(picture.line, *points, colour=colour))
        drawn += [partial(picture.dot, *point, colour) for point in points]
    for floor in range(len(set(floor_of.values()))):
        picture.line((LEFT + step * floor, top), (LEFT + step * floor, y), colour="#e4e4e4")
    for draw in drawn:
        draw()
    return picture.svg()


MAKERS = ()
PICTURES = (walk,)
