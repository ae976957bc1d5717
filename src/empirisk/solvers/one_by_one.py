"""Problems whose loss is a sum over the classes: one class at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution, Status

__all__ = ["single_problems", "together"]


def single_problems(problem: LinearProblem) -> list[LinearProblem]:
    """Return one problem of two labels per class; the problem itself when its loss is no sum over classes."""
    loss, data = problem.loss, problem.data
    if loss.by_class is None:
        return [problem]
    moments = problem.facts.known_moments
    out = []
    for signs in loss.signs(data.y).T:
        blocks = ArrayBlocks(data.design, np.ascontiguousarray(signs), data.weight)
        part = replace(problem, loss=loss.by_class, data=blocks, n_outputs=0)
        if moments is not None:
            part.facts.known_moments = moments
        out.append(part)
    return out


def together(problem: LinearProblem, parts: list[Solution]) -> Solution:
    """Return the solutions of :func:`single_problems` as one, with the certificate of the whole."""
    if len(parts) == 1 and parts[0].w.shape == problem.shape:
        return parts[0]
    w = np.stack([part.w for part in parts], axis=1)
    theta = None
    if any(part.dual is not None for part in parts):
        theta = np.stack(
            [
                -problem.loss.grad(problem.data.y, problem.scores(w))[:, c]
                if part.dual is None
                else part.dual
                for c, part in enumerate(parts)
            ],
            axis=1,
        )
    order = (Status.UNBOUNDED, Status.DIVERGED, Status.MAX_STEPS, Status.STALLED, Status.COMPLETED)
    return Solution(
        w=w,
        status=next((s for s in order for p in parts if p.status is s), Status.CERTIFIED),
        certificate=problem.certify(w, theta=theta),
        n_steps=max(part.n_steps for part in parts),
        n_passes=sum(part.n_passes for part in parts),
        note="; ".join(sorted({part.note for part in parts if part.note})),
        solver=parts[0].solver,
        dual=theta,
    )
