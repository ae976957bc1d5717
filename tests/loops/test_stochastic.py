"""Stochastic steps against plain NumPy, over layouts and every option; and that they are unbiased."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk import _loops
from empirisk.losses import REGISTRY, EpsilonInsensitive, Huber, Quantile

LOSSES = [
    *(kind() for kind in REGISTRY.values() if kind.row_slope),
    Huber(0.4),
    Quantile(0.9),
    EpsilonInsensitive(0.7),
]
STEP = np.array([0.05])


def targets(loss: Any, rng: np.random.Generator, n: int) -> np.ndarray:
    """Return random targets from the domain of the loss."""
    if loss.labels:
        return rng.choice([-1.0, 1.0], size=n)
    if np.isfinite(loss.y_domain.low):
        return rng.integers(1, 6, size=n).astype(float)
    return rng.integers(-2, 3, size=n).astype(float)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_slopes_are_those_of_the_python_class(loss: Any, rng: np.random.Generator) -> None:
    n = 400
    y, z = targets(loss, rng, n), rng.normal(size=n) * 3.0
    z[:100] = rng.integers(-2, 3, size=100)  # on kinks
    z[100:150] = y[100:150] + rng.choice([-1.0, 1.0], size=50) * getattr(loss, "d", 0.7)
    assert loss.row_slope
    v = z.copy()  # row i of the identity has the score z_i, and a step of size 1 subtracts its slope
    _loops.stochastic_steps(
        np.eye(n), y, None, loss.name, loss.parameter, np.arange(n), np.ones(1), v, every=n
    )
    slope = loss.grad(y, z)
    np.testing.assert_allclose(z - v, slope, rtol=1e-13, atol=1e-13 * (1.0 + np.abs(z).max()))


def test_a_user_loss_under_a_known_name_is_not_mistaken() -> None:
    class Mine(Huber):
        pass

    assert not Mine().row_slope
    assert not Mine().fused
    assert not REGISTRY["probit"]().row_slope


# -- the twin -------------------------------------------------------------------------------------


def twin(
    X, y, weight, loss, order, sizes, v, *, every=1, batch=1, momentum=0.0, intercept=False, unit=1.0, **o
):
    """The same in plain NumPy: (v, sum, velocity)."""
    n, p = X.shape
    Z = (
        (X - o.get("center", 0.0)) * o.get("scale", 1.0)
        if not sp.issparse(X)
        else X.toarray() * o.get("scale", 1.0)
    )
    stored = np.ones((n, p), bool) if not sp.issparse(X) else X.toarray() != 0.0
    share = o.get("share", np.ones(p))
    if intercept:
        Z, stored = np.column_stack([Z, np.full(n, unit)]), np.column_stack([stored, np.ones(n, bool)])
        share = np.append(share, 1.0)
    k = Z.shape[1]
    l1, l2 = o.get("l1", np.zeros(k)), o.get("l2", np.zeros(k))
    drift, low = o.get("drift", np.zeros(k)), o.get("low", np.full(k, -np.inf))
    anchor, s = o.get("anchor", np.zeros(n)), np.ones(n) if weight is None else weight
    v, total, velocity = v.copy(), np.zeros(k), np.zeros(k)
    for step, first in enumerate(range(0, len(order), batch)):
        rows, size = order[first : first + batch], sizes[step // every]
        total += v
        slope = s[rows] * (loss.grad(y[rows], Z[rows] @ v) - anchor[rows])
        part = stored[rows].mean(axis=0) * share  # how often drift and penalty count
        part = np.ones(k) if o.get("whole") else part
        g = Z[rows].T @ slope / len(rows) + part * drift
        velocity = momentum * velocity + size * g
        u = v - velocity
        u = np.sign(u) * np.maximum(np.abs(u) - size * part * l1, 0.0) / (1.0 + size * part * l2)
        v = np.where(part > 0.0, np.maximum(u, low), v)
    return v, total, velocity


OPTIONS = {
    "plain": set(),
    "penalty": {"l1", "l2"},
    "reduced": {"anchor", "drift", "l2"},
    "reduced, all": {"anchor", "drift", "l1", "l2", "low", "weight", "scale"},
    "centred": {"center", "scale", "l2"},
    "weights": {"weight", "l2"},
    "batch": {"batch", "l1", "l2", "weight"},
    "batch, reduced": {"batch", "anchor", "drift", "l2", "scale"},
    "whole": {"whole", "l2", "weight"},
    "whole, batch": {"whole", "l2", "batch", "scale"},
    "momentum": {"momentum", "l2"},
    "momentum, batch": {"momentum", "batch", "drift", "anchor"},
}


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("storage", ["dense", "float32", "strided", "csr", "csr64", "csr32f"])
@pytest.mark.parametrize("name", list(OPTIONS))
def test_against_the_twin(name: str, storage: str, intercept: bool, rng: np.random.Generator) -> None:
    wanted = OPTIONS[name]
    sparse = storage.startswith("csr")
    if sparse and wanted & {"center", "momentum"}:
        pytest.skip("dense only")
    n, p = 60, 19
    X: Any = rng.normal(size=(n, p))
    if sparse:
        X[rng.random(X.shape) < 0.7] = 0.0
    X = X.astype(np.float32 if storage in ("float32", "csr32f") else float)
    loss = REGISTRY["logistic"]()
    y, k = rng.choice([-1.0, 1.0], size=n), p + intercept
    exact = X.astype(float)
    if sparse:
        X, exact = sp.csr_array(X), sp.csr_array(exact)
        if storage == "csr64":
            X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    if storage == "strided":
        X = np.repeat(X, 2, axis=0)[::2]
    free = np.append(np.ones(p), np.zeros(int(intercept)))
    every = {
        "anchor": rng.normal(size=n),
        "drift": 0.1 * rng.normal(size=k),
        "l1": 0.05 * rng.random(k) * free,
        "l2": 0.3 * (rng.random() if "whole" in wanted else rng.random(k)) * free,
        "whole": True,
        "low": np.append(np.zeros(p), np.full(int(intercept), -np.inf)),
        "center": rng.normal(size=p),
        "scale": rng.random(p) + 0.5,
        "batch": 7,
        "momentum": 0.6,
    }
    options = {key: every[key] for key in wanted - {"weight"}}
    weight = rng.random(n) if "weight" in wanted else None
    if sparse:
        options["share"] = n / np.maximum(np.diff(exact.tocsc().indptr), 1.0)
    order, sizes = rng.integers(0, n, size=150), 0.3 / np.sqrt(np.arange(1, 76))
    v0 = rng.normal(size=k)
    v, total = v0.copy(), np.zeros(k)
    velocity = np.zeros(k) if "momentum" in wanted else None
    _loops.stochastic_steps(
        X, y, weight, "logistic", 0.0, order, sizes, v, sum=total, velocity=velocity, intercept=intercept,
        unit=1.3, every=2, **options,
    )  # fmt: skip
    want = twin(exact, y, weight, loss, order, sizes, v0, every=2, intercept=intercept, unit=1.3, **options)
    np.testing.assert_allclose(v, want[0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(total, want[1], rtol=1e-11, atol=1e-11)
    if velocity is not None:
        np.testing.assert_allclose(velocity, want[2], rtol=1e-11, atol=1e-12)


# -- unbiased ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_the_mean_step_is_the_full_gradient(storage: str, reduced: bool, rng: np.random.Generator) -> None:
    n, p, size = 25, 6, 0.05
    A = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.5)
    A[0] = 1.0
    X: Any = sp.csr_array(A) if storage == "csr" else A
    y, s = rng.choice([-1.0, 1.0], size=n), rng.random(n)
    weight, loss, v0 = s * n / s.sum(), REGISTRY["logistic"](), rng.normal(size=p)
    options: dict[str, Any] = {}
    if reduced:
        anchor = loss.grad(y, A @ rng.normal(size=p))
        options = {"anchor": anchor, "drift": A.T @ (s * anchor) / s.sum()}
    if storage == "csr":
        options["share"] = n / (A != 0.0).sum(axis=0)
    moved = np.zeros(p)
    for i in range(n):
        v = v0.copy()
        _loops.stochastic_steps(X, y, weight, "logistic", 0.0, np.array([i]), np.array([size]), v, **options)
        moved += (v0 - v) / size / n
    full = A.T @ (s * loss.grad(y, A @ v0)) / s.sum()
    np.testing.assert_allclose(moved, full, rtol=1e-11, atol=1e-13)


def test_the_mean_step_of_the_penalty_is_right_to_first_order(rng: np.random.Generator) -> None:
    n, p, size = 20, 5, 1e-7
    A = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.4)
    A[0] = 1.0
    y, v0, l1, l2 = rng.normal(size=n), rng.normal(size=p), rng.random(p), rng.random(p)
    moved = np.zeros(p)
    for i in range(n):
        v = v0.copy()
        _loops.stochastic_steps(
            sp.csr_array(A), y, None, "half_squared", 0.0, np.array([i]), np.array([size]), v,
            l1=l1, l2=l2, share=n / (A != 0.0).sum(axis=0),
        )  # fmt: skip
        moved += (v0 - v) / size / n
    full = A.T @ (A @ v0 - y) / n + l1 * np.sign(v0) + l2 * v0
    np.testing.assert_allclose(moved, full, rtol=1e-5, atol=1e-5)


def test_refusals() -> None:
    X, y, o = np.eye(3), np.ones(3), np.arange(3)
    call = _loops.stochastic_steps
    hinge = (X, y, None, "hinge", 0.0, o, STEP, np.zeros(3))
    column_major = (np.asfortranarray(np.ones((3, 2))), *hinge[1:7], np.zeros(2))
    for message, args, more in (
        ("no compiled slope", (X, y, None, "probit", *hinge[4:]), {"every": 3}),
        ("order names a row", (*hinge[:5], np.array([3]), STEP, np.zeros(3)), {}),
        ("sizes must cover", hinge, {}),
        ("contiguous rows", column_major, {"every": 3}),
        ("CSC cannot", (sp.csc_array(X), *hinge[1:]), {"every": 3}),
        ("momentum needs", hinge, {"every": 3, "momentum": 0.5}),
        ("neither center nor", (sp.csr_array(X), *hinge[1:]), {"every": 3, "center": np.zeros(3)}),
        ("batch and every", hinge, {"batch": 0}),
    ):
        with pytest.raises(ValueError, match=message):
            call(*args, **more)
