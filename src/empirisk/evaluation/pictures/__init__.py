"""What the pictures of an evaluation show, computed from held-out predictions: curves, bins, matrices.

Each function returns plain JSON values, the same that ``report.json`` holds; the displays of
:mod:`empirisk.plots` draw them.
"""
