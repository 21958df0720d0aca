"""Pages to play with: one idea of the book each, to step through.

`docs/pages/pages.md` shows them. What a page steps through is computed here, by the stages
themselves where that can be, and the script only shows it. Where a reader's own text is looked at,
the script has to compute; then tests compare it with Python.
"""
