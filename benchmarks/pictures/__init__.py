"""The pictures of the book, drawn from what the package itself computes; see render_pictures.py.

A module per room, as everywhere. Each function returns an SVG as text, and its name is that of the
file in docs/figures. Nothing in a picture is typed that our code can say: steps, places, bits, ids
and sizes come from the stages, or from the headers that they are compiled from.
"""
