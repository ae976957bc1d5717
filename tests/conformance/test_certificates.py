"""The certificate of a fitted estimator is true: against the optimum in fifty digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags

import empirisk as er
from empirisk.results import Kind
from tests.conformance.estimators import FIXED, Use, use
from tests.oracles.optimum import Case, optimum

# `positive` is settled by other means: the oracle's patterns of signs do not know the constraint.
# A scale that is estimated is no number that the oracle knows.
FREE = [
    u
    for u in FIXED
    if not dict(u.params).get("positive")
    and not u.kind.startswith("SGD")  # more classes than two are another objective; tests of its own
    and u.kind != "HalfspaceClassifier"  # its optimum need not be unique; tests/estimators/test_halfspace.py
    and u.kind not in ("ConstrainedRegressor", "PenalizedRegressor")  # tests/estimators/test_constrained.py
    and (u.kind != "HuberRegressor" or dict(u.params).get("scale") == 1.0)
    and (u.kind != "LinearSVC" or "loss" in dict(u.params))
]
# The intercept of the hinge need not be unique, as the exact oracle wants it: here there is none.
FREE += [
    use("LinearSVC", alpha=0.05, fit_intercept=False),
    use("LinearSVC", alpha=0.02, penalty="l1", fit_intercept=False),
]
MEANS = ("poisson", "gamma", "tweedie", "negative_binomial")
LOSSES = {"QuantileRegressor": "quantile", "LeastAbsoluteDeviations": "absolute", "HuberRegressor": "huber"}


def case_for(est: Any, rng: np.random.Generator, classes: int) -> tuple[Case, Any]:
    """Fourteen rows for the estimator, and the same problem for the oracle."""
    p = 2 if classes == 3 else 3
    X = rng.normal(size=(14, p)) + np.linspace(0.0, 2.0, p)
    s = rng.integers(1, 3, size=14).astype(float)
    alpha = getattr(est, "alpha", 0.0)
    ratio = {"Lasso": 1.0, "Ridge": 0.0, "LinearRegression": 0.0}.get(type(est).__name__)
    if isinstance(est, er.LinearSVC):
        ratio = {"l2": 0.0, "l1": 1.0}[est.penalty]
    ratio = est.l1_ratio if ratio is None else ratio
    parts = (alpha * ratio, alpha * (1.0 - ratio), est.fit_intercept)
    if get_tags(est).target_tags.positive_only:
        y = np.round(np.exp(0.3 * X @ np.linspace(1.0, -1.0, p) + rng.normal(size=14))) + (
            0.5 if isinstance(est, er.GammaRegressor) else 0.0
        )
        return Case(est._loss().name, X, y, s, *parts), y
    if not is_classifier(est):
        y = X @ np.linspace(1.0, -1.0, p) + rng.normal(size=14)
        loss = est.loss if isinstance(est, er.LinearSVR) else LOSSES.get(type(est).__name__, "half_squared")
        return Case(loss, X, y, s, *parts, level=getattr(est, "q", 0.5)), y
    codes = np.concatenate([np.arange(classes), rng.integers(0, classes, size=14 - classes)])
    labels = np.array([10, 20, 30])[codes]
    if classes == 2:
        loss = est.loss if isinstance(est, er.LinearSVC) else "logistic"
        return Case(loss, X, np.where(codes == 1, 1.0, -1.0), s, *parts), labels
    return Case("softmax", X, codes.astype(float), s, *parts, k=3), labels


def objective(est: Any, case: Case) -> float:
    """F at the fitted parameters, from the definition."""
    coef, z = np.atleast_2d(est.coef_), case.X @ np.atleast_2d(est.coef_).T + est.intercept_
    if case.loss in MEANS:  # the losses themselves are tested elsewhere
        losses = est._loss().value(case.y, z[:, 0])
        return float(
            case.s @ losses / case.s.sum() + case.l1 * np.abs(coef).sum() + case.l2 * (coef**2).sum() / 2
        )
    r = z[:, 0] - case.y
    if case.loss == "half_squared":
        losses = r**2 / 2
    elif case.loss == "quantile":
        losses = np.maximum((1.0 - case.level) * r, -case.level * r)
    elif case.loss == "absolute":
        losses = np.abs(r)
    elif case.loss == "huber":
        losses = np.where(np.abs(r) <= 1.35, r**2 / 2, 1.35 * np.abs(r) - 1.35**2 / 2)
    elif "hinge" in case.loss:
        short = np.maximum(1.0 - case.y * z[:, 0], 0.0)
        losses = short if case.loss == "hinge" else short**2 / 2
    elif case.loss == "modified_huber":
        t = case.y * z[:, 0]
        losses = np.where(t < -1.0, -2.0 * t, np.maximum(1.0 - t, 0.0) ** 2 / 2)
    elif "epsilon" in case.loss:
        over = np.maximum(np.abs(r) - 0.1, 0.0)
        losses = over if case.loss == "epsilon_insensitive" else over**2 / 2
    elif case.loss == "logistic":
        losses = np.logaddexp(0.0, -case.y * z[:, 0])
    else:
        losses = np.logaddexp.reduce(z, axis=1) - z[np.arange(len(z)), case.y.astype(int)]
    return float(
        case.s @ losses / case.s.sum() + case.l1 * np.abs(coef).sum() + case.l2 * (coef**2).sum() / 2
    )


@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize("use", FREE, ids=str)
def test_certificate_is_true(use: Use, tol: float, rng: np.random.Generator) -> None:
    est = use.make(tol=tol)
    for classes in (2, 3) if is_classifier(est) else (0,):
        # Softmax with L1 alone has flat directions, and the oracle needs one minimiser.
        if classes == 3 and getattr(est, "l1_ratio", 0.0) == 1.0:
            continue
        if classes == 3 and isinstance(est, er.LinearSVC):  # three problems of two classes, tested as such
            continue
        case, y = case_for(est, rng, classes)
        est.fit(case.X, y, sample_weight=case.s)
        best, certificate = optimum(case), est.certificate_
        excess = objective(est, case) - best.value
        assert excess >= -1e-14
        bound = certificate.suboptimality()
        if bound is None:
            assert certificate.kind is Kind.KKT_RESIDUAL
            assert excess <= 1e-13
            continue
        assert excess <= bound + certificate.floor + 1e-15, "the certificate claims too much"
        assert bound <= max(tol * certificate.scale, certificate.floor)
        reach = certificate.distance()
        if reach is not None:
            w = best.w[: case.X.shape[1]].T
            assert float(np.linalg.norm(np.reshape(est.coef_, w.shape) - w)) <= reach + math.sqrt(1e-15)
