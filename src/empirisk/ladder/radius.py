"""The a-priori radius of the rows, which the rows themselves cannot give."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.base import Problem

__all__ = ["row_norms", "why_no_radius"]


def row_norms(problem: Problem) -> Floats:
    """Return the Euclidean norms of the rows, after the steps that do not depend on the rows."""
    Z: Any = problem.features.Z
    squares = Z.multiply(Z).sum(axis=1) if hasattr(Z, "multiply") else np.square(Z).sum(axis=1)
    return np.sqrt(np.asarray(squares, dtype=np.float64).ravel())


def why_no_radius(problem: Problem) -> str:
    """Return why no radius is known; a declared one that the rows refute is an error."""
    radius = problem.declared.radius
    if radius is None:
        return (
            "no a-priori bound on the norm of x: declare radius= (the largest norm among these rows is no "
            "such bound, "
            "the next row may be longer)"
        )
    norms = row_norms(problem)
    row = int(norms.argmax())
    if norms[row] > radius * (1.0 + 1e-9):
        raise ValueError(
            f"radius = {radius:g} is refuted by row {row}, whose norm is {norms[row]:g}; declare what "
            "bounds every row "
            "that can occur, or leave radius out."
        )
    return ""
