"""Recompute a certificate from the fitted numbers alone."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from empirisk.problems.certify import sharpened
from empirisk.results import Certificate
from empirisk.solvers.crossover import multipliers
from empirisk.typing import Capability

__all__ = ["verify"]


def verify(est: Any, X: Any, y: Any, sample_weight: Any = None, **rows: Any) -> Certificate:
    """The optimality certificate of a fitted estimator on its training data, recomputed with plain NumPy.

    Nothing of the solver is used: ``coef_`` and ``intercept_`` go into the objective and a dual point
    is built from them, so that a wrong solver, a tampered model file or other data show.

    Parameters
    ----------
    est : estimator
        A fitted empirisk estimator, or a scikit-learn Pipeline that ends in one.
    X, y, sample_weight
        The training data.
    **rows
        ``offset=`` and ``exposure=`` where the fit had them.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 4.0])
    >>> er.verify(er.Ridge().fit(X, y), X, y).within(1e-6)
    True
    """
    steps = getattr(est, "steps", None)
    if steps is not None:
        for _, transform in steps[:-1]:
            if transform not in (None, "passthrough"):
                X = transform.transform(X)
        est = steps[-1][1]
    if not hasattr(est, "problem") or not hasattr(est, "_pack"):
        claim = est.certificate_.claim if hasattr(est, "solution_") else ""
        if claim.startswith("none: "):
            raise TypeError(f"{type(est).__name__} has no certificate that could be verified: {claim[6:]}")
        raise TypeError(f"verify needs a fitted empirisk estimator, got {type(est).__name__}")
    check_is_fitted(est)
    problem = est.problem(X, y, sample_weight, **rows)
    w = est._pack(problem)
    # A model file holds the coefficients alone, without the solution.
    theta = est.solution_.dual if hasattr(est, "solution_") else None
    certificate: Certificate = problem.certify(w, theta=theta)
    if not certificate.within(est.tol or 0.0):
        certificate = sharpened(problem, w, certificate)
    if Capability.PIECEWISE_LINEAR in problem.loss.offers and not certificate.within(est.tol or 0.0):
        # A pickled model has forgotten its multipliers; at an optimum on kinks they can be found again.
        again = multipliers(problem, w)
        if again is not None:
            certificate = problem.certify(w, theta=again)
    return certificate
