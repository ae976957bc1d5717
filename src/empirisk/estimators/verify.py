"""Recompute a certificate from the fitted numbers alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.distributions.fit import DistributionFit
from empirisk.distributions.verify_fit import verify_fit
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.several_targets import verify_targets
from empirisk.results import Certificate, Kind
from empirisk.solvers.crossover import multipliers
from empirisk.typing import Capability

__all__ = ["verify"]


def verify(est: Any, X: Any, y: Any = None, sample_weight: Any = None, **rows: Any) -> Certificate:
    """The optimality certificate of a fitted estimator on its training data, recomputed with plain NumPy.

    Nothing of the solver is used, so that a wrong solver, a tampered model file or other data show:

    - linear models: ``coef_`` and ``intercept_`` go into the objective, and a dual point is built from them;
      streams of ``partial_fit`` are measured on the rows that are given here;
    - perceptrons: every row is on its side, in exact arithmetic where rounding could hide it;
    - AdaBoost: the rows walk through the trees, the exponential loss and the sum of the votes must be those
      stated, and the edges of all stumps are compared under the weights of the end;
    - optimal trees: the leaves, the cost, and a bound on all trees of the depth by enumeration; where that
      is too long (4e7 numbers) the value is what the bound leaves open, and the claim says so;
    - principal components, of kernels too: the residual of the eigenvectors, all eigenvalues, and shares;
    - random projections: the number of directions by the formula of their theorem, and the draws of the seed;
    - discriminants and naive Bayes: sums, means, covariances and counts must be those of the rows;
    - clusters and mixtures: labels, centres, inertia, merges, cuts, likelihoods and criteria must be those of
      the rows, and the step or the exchange that could better them is tried;
    - hypothesis classes: the training error, and the least error over all labellings that the class has of
      the points, or of blocks of them where those are too many (a bound then);
    - structural risk minimisers: the choice, and the fit that was chosen;
    - fitted laws (``er.fit_mle`` and its siblings; X are the rows): likelihood, estimates, errors, intervals,
      and that the scores sum to 0, that no law nearby is likelier, that moments agree, or that the posterior
      (``prior=`` is needed beside the rows) is that of the prior and the rows.

    What is not found as stated comes back as a certificate of kind NONE, which is within no tolerance, with
    what differs.

    Parameters
    ----------
    est : estimator
        A fitted empirisk estimator, a scikit-learn Pipeline that ends in one, or a fitted law.
    X, y, sample_weight
        The training data; y of estimators without targets is None.
    **rows
        ``offset=`` and ``exposure=`` where the fit had them; ``prior=`` of ``er.fit_map``.

    Returns
    -------
    Certificate

    Raises
    ------
    TypeError
        Where the fit claims nothing about an optimum (kind NONE, or the Monte-Carlo error of a random draw);
        the message repeats why.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 4.0])
    >>> er.verify(er.Ridge().fit(X, y), X, y).within(1e-6)
    True
    """
    if isinstance(est, DistributionFit):
        if y is not None:
            raise TypeError("a fitted law has no targets: call er.verify(fit, x, sample_weight=...)")
        return verify_fit(est, X, sample_weight, **rows)
    steps = getattr(est, "steps", None)
    if steps is not None:
        for _, transform in steps[:-1]:
            if transform not in (None, "passthrough"):
                X = transform.transform(X)
        est = steps[-1][1]
    if "by_target_" in getattr(est, "__dict__", {}):
        return verify_targets(est, y, lambda model, of: verify(model, X, of, sample_weight, **rows))
    own = getattr(est, "_verify", None)
    linear = hasattr(est, "problem") and hasattr(est, "_pack")
    if own is None and not linear and not hasattr(est, "certificate_"):
        if not isinstance(est, Estimator):
            raise TypeError(f"verify needs a fitted empirisk estimator, got {type(est).__name__}")
        check_is_fitted(est)
        raise TypeError(
            f"{type(est).__name__} has no certificate that could be verified: {est._without_optimum}"
        )
    check_is_fitted(est)
    stated = getattr(est, "certificate_", None)
    if not linear and stated is not None and stated.kind in (Kind.NONE, Kind.MONTE_CARLO):
        raise TypeError(_refusal(est, stated))
    if own is not None:
        again: Certificate = own(X, y, sample_weight, **rows)
        return again
    if not linear and stated is not None:
        raise TypeError(f"{type(est).__name__} states a certificate that nothing recomputes: {stated.claim}")
    problem = est.problem(X, y, sample_weight, **rows)
    w = est._pack(problem)
    # A model file holds the coefficients alone, without the solution.
    theta = est.solution_.dual if hasattr(est, "solution_") else None
    if theta is not None and np.shape(theta)[:1] != (problem.data.n_rows,):
        theta = None  # multipliers of another number of rows
    certificate: Certificate = problem.certify(w, theta=theta)
    if not certificate.within(est.tol or 0.0):
        certificate = problem.sharpened(w, certificate)
    if theta is not None and not math.isfinite(certificate.value):  # multipliers of other rows
        certificate = problem.certify(w)
    if Capability.PIECEWISE_LINEAR in problem.loss.offers and not certificate.within(est.tol or 0.0):
        # A pickled model has forgotten its multipliers; at an optimum on kinks they can be found again.
        found = getattr(est, "_multipliers", multipliers)(problem, w)
        if found is not None:
            certificate = problem.certify(w, theta=found)
    return certificate


def _refusal(est: Any, stated: Certificate) -> str:
    """Return why there is nothing to recompute."""
    name = type(est).__name__
    if stated.kind is Kind.MONTE_CARLO:
        return f"{name} states the luck of a random draw, which is no optimum to verify: {stated.claim}"
    return f"{name} has no certificate that could be verified: {stated.claim.removeprefix('none: ')}"
