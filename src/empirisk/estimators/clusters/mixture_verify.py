"""The certificate of a mixture from its rows once more, by code that knows no loop and no solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.mixtures.base import DegenerateError, Parts
from empirisk.problems.latent import Expected, LatentProblem
from empirisk.results import Certificate
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array

__all__ = ["recomputed"]


def recomputed(problem: LatentProblem, w: Array, stated: float, certificate: Certificate) -> Certificate:
    """Return the certificate of these parameters for these rows, or why it is not confirmed.

    Parameters
    ----------
    problem : LatentProblem
        The mixture of the rows.
    w : array
        Fitted parameters.
    stated : float
        The log-likelihood of the fit.
    certificate : Certificate
        That of the fit.
    """
    e = (
        _plain(problem, w)
        if hasattr(problem.family, "matrices") and not problem.family.missing
        else problem.evaluate(w)
    )
    slack = 1e3 * problem.facts.eps * (abs(stated) + problem.facts.total * problem.data.n_cols)
    if not abs(e.log_likelihood - stated) <= slack:
        return unconfirmed(f"the log-likelihood is {e.log_likelihood:.9g}, and {stated:.9g} is stated")
    try:
        found = problem.certify(w, e)
    except DegenerateError as error:
        return unconfirmed(str(error))
    return replace(found, claim=found.claim + certificate.claim.partition("may surpass")[2])


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
