"""What certificates claim, held against the objective in sixty digits and against points that are known."""

from __future__ import annotations

import warnings
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import empirisk as er
from empirisk.losses import REGISTRY as LOSSES
from empirisk.losses import Loss
from empirisk.results import Certificate, Kind
from tests.oracles.adversarial import CLASSES, COUNTS, MAKERS, Awkward, awkward, rows_for
from tests.oracles.exact_objective import ExactObjective, shifted

EPS = float(np.finfo(np.float64).eps)
# The intercept of the fit is rounded once: it is off by eps/2 of ``|t| + sum |c_j w_j|`` at most, and the
# loss by the slope times that.  The dual point of a certificate made from rounded scores may lose as much
# again, the rounding that is added to a gap too; 4 eps leaves a factor of 2.
ROUNDINGS = 4.0


def excess(case: Awkward, model: Any, problem: Any) -> float:
    """``F`` at the fit above ``F`` at the fit of the rows near 0, moved without rounding."""
    F = ExactObjective(problem)
    w = np.asarray(model._pack(problem), dtype=float)
    near = case.make(tol=1e-12).fit(case.rows, case.targets, sample_weight=case.weight)
    v = np.asarray(near._pack(near.problem(case.rows, case.targets, case.weight)), dtype=float)
    b = shifted(v[:-1], v[-1], case.columns, case.target)
    known = F(v[:-1], b if v.ndim == 2 else b[0])
    with mp.workdps(60):
        return float(F(w[:-1], w[-1]) - known)


def check(case: Awkward) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = case.make().fit(case.X, case.y, sample_weight=case.weight)
        problem = model.problem(case.X, case.y, sample_weight=case.weight)
        gap = excess(case, model, problem)
        again = er.verify(model, case.X, case.y, sample_weight=case.weight)
    claim = model.certificate_
    assert np.isfinite(model.coef_).all()
    assert claim.kind is Kind.DUALITY_GAP
    assert gap <= claim.suboptimality() * (1.0 + 1e-9), f"{gap} above {claim.claim}"
    assert gap <= again.suboptimality() * (1.0 + 1e-9), f"{gap} above {again.claim}"
    if model.solution_.status is er.Status.CERTIFIED:
        assert claim.within(model.tol)


@pytest.mark.parametrize("part", range(3))
def test_no_claim_is_below_the_exact_excess(part: int) -> None:
    for seed in range(17 * part, 17 * part + 17):
        check(awkward(seed))


@pytest.mark.slow
def test_no_claim_of_many_is_below_the_exact_excess() -> None:
    for seed in range(1000, 1400):
        check(awkward(seed))


@pytest.mark.parametrize("c", [1e3, 1e6, 1e10, 1e14])
@pytest.mark.parametrize("name", list(MAKERS))
def test_fit_far_from_the_origin_is_the_shifted_fit(name: str, c: float) -> None:
    """Targets and columns at c: the claim holds, and is rounding of the intercept and no more."""
    X, y = rows_for(name, np.random.default_rng(7), 12, 2)
    target = 0.0 if name in CLASSES | COUNTS else c
    case = Awkward(name, 0.1, X + c, y + target, X + c - c, y + target - target, np.full(2, c), target, None)
    if name in CLASSES | COUNTS:
        case = Awkward(name, 0.1, X + c, y, X + c - c, y, np.full(2, c), 0.0, None)
    check(case)
    model = case.make().fit(case.X, case.y)
    problem = model.problem(case.X, case.y)
    w, claim = np.asarray(model._pack(problem)), model.certificate_
    far = target + float(np.abs(w[:-1]).sum()) * c
    slope = problem.loss.lipschitz if np.isfinite(problem.loss.lipschitz) else problem.facts.null_slope
    rounding = ROUNDINGS * EPS * far
    assert claim.value <= model.tol * claim.scale + slope * rounding + rounding**2, claim.claim
    near = case.make().fit(case.rows, case.targets)
    # Both are near one optimum: within sqrt(2 gap / mu) where the objective is strongly convex.
    reach = claim.distance()
    if reach is not None:
        assert np.linalg.norm(model.coef_ - near.coef_) <= reach + near.certificate_.distance()


@pytest.mark.parametrize("name", ["lasso", "elastic net", "ridge", "logistic, L2", "poisson"])
@pytest.mark.parametrize("c", [1e2, 1e3, 1e5])
def test_float32_status_is_that_of_the_rounded_coefficients(name: str, c: float) -> None:
    for seed in range(3):
        g = np.random.default_rng(seed)
        X = (g.standard_normal((60, 3)) + c).astype(np.float32)
        z = X[:, 0].astype(float) - c + g.standard_normal(60)
        y = (z > 0).astype(int) if name in CLASSES else g.poisson(np.exp(0.3 * z)) if name in COUNTS else z
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = MAKERS[name](1e-3).fit(X, y)
        claim = model.certificate_
        assert (model.solution_.status is er.Status.CERTIFIED) == claim.within(model.tol), claim.claim
        if c == 1e2:
            assert model.solution_.status.ok


def test_certificate_gives_one_number() -> None:
    c = Certificate(Kind.DUALITY_GAP, 1e-20, 0.5, "", 0.02, floor=1e-9)
    assert c.value == c.suboptimality() == 1e-9
    assert c.at_floor
    assert c.relative == 2e-9
    assert not c.within(1e-9)
    assert c.distance() == pytest.approx((2e-9 / 0.02) ** 0.5)


def scalar_losses() -> list[Loss]:
    out = []
    for kind in LOSSES.values():
        try:
            made = kind()
        except TypeError:
            continue
        if not made.vector and made.name != "offset":
            out.append(made)
    return out


@pytest.mark.parametrize("loss", scalar_losses(), ids=lambda loss: loss.name)
def test_loss_says_whether_it_is_one_of_a_difference(loss: Any) -> None:
    y, z = np.array([1.0, 0.5 if loss.y_domain.high <= 1.0 else 3.0]), np.array([0.25, -0.75])
    same = not loss.labels and np.allclose(loss.value(y + 2.0, z + 2.0), loss.value(y, z), rtol=1e-12)
    assert getattr(loss, "of_difference", False) == same


@pytest.mark.parametrize("value", [1e-300, 3.7, 1e9])
@pytest.mark.parametrize("name", [n for n in MAKERS if n not in CLASSES | COUNTS])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_constant_target_is_fitted_exactly(name: str, value: float, n: int) -> None:
    X = np.random.default_rng(0).standard_normal((n, 3))
    model = MAKERS[name](0.1).fit(X, np.full(n, value))
    assert not np.any(model.coef_)
    assert abs(model.intercept_ - value) <= 0.1 * name.count("tube")
    assert model.solution_.status.ok


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e100])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_targets_in_extreme_units_give_numbers(n: int, unit: float) -> None:
    g = np.random.default_rng(n)
    X, y = g.standard_normal((n, 2)), unit * g.standard_normal(n)
    for model in (er.LeastAbsoluteDeviations(), er.QuantileRegressor(), er.LinearSVR(), er.HuberRegressor()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.intercept_)


def test_huber_near_1e9_against_rational_arithmetic() -> None:
    x = np.array([1.0, 2.0, -2.0, -1.0, 2.0, 1.0])
    y = np.array([1.0, 3.0, -2.0, -1.0, 1.0, -2.0])
    case = Awkward("huber, L2", 0.1, x[:, None], y + 1e9, x[:, None], y, np.zeros(1), 1e9, None)
    check(case)


@pytest.mark.parametrize("name", ["lad", "halfspace", "quantile", "tube"])
def test_columns_at_a_billion_give_a_model(name: str) -> None:
    """Newton's matrix was singular here, and the code for that had an undefined name."""
    g = np.random.default_rng({"lad": 1, "halfspace": 2, "quantile": 94, "tube": 54}[name])
    n, p = int(g.integers(4, 15)), int(g.integers(1, 4))
    X, y = g.integers(-3, 4, (n, p)).astype(float), g.integers(0, 6, n).astype(float)
    makers: dict[str, Any] = {
        "lad": er.LeastAbsoluteDeviations(),
        "halfspace": er.HalfspaceClassifier(),
        "quantile": er.QuantileRegressor(0.3),
        "tube": er.LinearSVR(alpha=1e-6),
    }
    model = makers[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X + 2.0**30, (y > 2.0).astype(int) if name == "halfspace" else y)
    assert np.isfinite(model.coef_).all()


def test_class_of_next_to_no_weight_ends_in_a_model() -> None:
    """The block of the intercepts is singular to rounding there: no error of linear algebra comes out."""
    g = np.random.default_rng(0)
    X = g.integers(-3, 4, (6, 3)) * 2.0**20
    weight = np.array([1e5, 1e-3, 1e-12, 1e10, 1e4, 1e-7])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = er.LogisticRegression(1e-6, l1_ratio=1.0).fit(X, [0, 1, 2, 0, 1, 2], sample_weight=weight)
    assert np.isfinite(model.coef_).all()
