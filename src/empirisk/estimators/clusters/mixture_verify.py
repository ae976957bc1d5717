"""The certificate of a mixture from its rows once more, by code that knows no loop and no solver."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.stated import disputed, misnumbered
from empirisk.mixtures.base import DegenerateError, Parts
from empirisk.problems.latent import Expected, LatentProblem
from empirisk.results import Certificate
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array

__all__ = ["recomputed"]


def recomputed(model: Any, problem: LatentProblem, chances: Iterable[Array], free: int) -> Certificate:
    """Return the certificate of these parameters for these rows, or why it is not confirmed.

    How the starts agreed cannot be told from the rows, and is left out.

    Parameters
    ----------
    model : estimator
        A fitted mixture.
    problem : LatentProblem
        The mixture of the rows.
    chances : iterable of array
        Chances of the parts given each row, for stretches of rows.
    free : int
        How many free parameters there are.
    """
    w, stated = model.solution_.w, float(model.log_likelihood_)
    differs = disputed(model, _shown(model, problem, w), tol=max(1e-9, 16.0 * problem.facts.eps))
    if differs is not None:
        return differs
    e = (
        _plain(problem, w)
        if hasattr(problem.family, "matrices") and not problem.family.missing
        else problem.evaluate(w)
    )
    slack = 1e3 * problem.facts.eps * (abs(stated) + problem.facts.total * problem.data.n_cols)
    if not abs(e.log_likelihood - stated) <= slack:
        return unconfirmed(f"the log-likelihood is {e.log_likelihood:.9g}, and {stated:.9g} is stated")
    differs = _read_off(model, problem, e.log_likelihood, np.concatenate(list(chances)), free)
    if differs is not None:
        return differs
    try:
        return problem.certify(w, e)
    except DegenerateError as error:
        return unconfirmed(str(error))


def _shown(model: Any, problem: LatentProblem, w: Array) -> dict[str, Any]:
    """Return the parameters under their public names, and as answers read them."""
    parts = problem.parts(w)
    weights = np.exp(problem.log_weights(w))
    return {"weights_": weights, "n_components_": problem.n_parts, **model._public(parts), "_parts": parts}


def _read_off(
    model: Any, problem: LatentProblem, value: float, chances: Array, free: int
) -> Certificate | None:
    """Return which label or criterion is not that of these chances, or None."""
    if (odd := misnumbered(model, "labels_", problem.n_parts)) is not None:
        return odd
    most, rows = chances.max(axis=1), np.arange(len(chances))
    single = problem.facts.eps > 1e-10
    wrong = np.flatnonzero(chances[rows, model.labels_] < most - (1e-3 if single else 1e-8))
    if len(wrong):
        row = int(wrong[0])
        return unconfirmed(
            f"labels_[{row}] is {model.labels_[row]}, and part {chances[row].argmax()} has a larger chance"
        )
    bic = free * float(np.log(problem.facts.total)) - 2.0 * value
    sure = float(cast(ArrayBlocks, problem.data).weight @ np.log(most))
    found = {"bic_": bic, "aic_": 2.0 * free - 2.0 * value, "icl_": bic - 2.0 * sure}
    size = 1e3 * problem.facts.eps * (abs(value) + problem.facts.total * problem.data.n_cols)
    return disputed(model, found, slack=dict.fromkeys(found, 4.0 * size))


def _plain(problem: LatentProblem, w: Array) -> Expected:
    """Return value and expected sums of Gaussian parts, component by component with plain linear algebra."""
    parts: Parts = problem.parts(w)
    covariances = problem.family.matrices(parts)  # type: ignore[attr-defined]
    pi = np.exp(problem.log_weights(w))
    (block,) = problem.data
    X, s = np.asarray(block.design.X, dtype=np.float64), block.weight
    logs = np.empty((len(X), len(pi)))
    for k, (mean, sigma) in enumerate(zip(parts["means"], covariances, strict=True)):
        scale = np.sqrt(np.diagonal(sigma))
        d = (X - mean) / scale
        shape = sigma / scale[:, None] / scale
        square = (d * np.linalg.solve(shape, d.T).T).sum(axis=1)
        volume = np.linalg.slogdet(shape)[1] + 2.0 * np.log(scale).sum()
        logs[:, k] = np.log(pi[k]) - 0.5 * (square + volume + X.shape[1] * np.log(2.0 * np.pi))
    log = np.logaddexp.reduce(logs, axis=1)
    r = np.exp(logs - log[:, None]) * s[:, None]
    mass, first, second = r.sum(axis=0), [], []
    for k, mean in enumerate(parts["means"]):
        d = X - mean
        first.append(r[:, k] @ d)
        second.append((r[:, k, None] * d).T @ d)
    squares = np.stack(second)
    if not getattr(problem.family, "full", True):
        squares = np.diagonal(squares, axis1=1, axis2=2)
    value = float(s[s > 0.0] @ log[s > 0.0])
    loss = (problem.family.penalty(parts, problem.facts) - value) / problem.facts.total
    return Expected(problem, w, loss, value, (mass, np.stack(first), squares))
