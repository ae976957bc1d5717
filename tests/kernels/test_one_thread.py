"""Factorisations of kernel matrices of some thousand rows run on one thread of BLAS, whatever is set."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import empirisk as er
from empirisk.kernels import Gaussian, check_psd

X = np.random.default_rng(0).normal(size=(60, 2))
Y = np.sin(X[:, 0])
KERNEL = Gaussian(gamma=0.5)

CASES: list[tuple[str, str, Callable[[], Any]]] = [
    ("empirisk.solvers.kernel_newton", "cho_factor", lambda: er.KernelRidge(0.1, kernel=KERNEL).fit(X, Y)),
    ("empirisk.solvers.kernel_newton", "cho_factor", lambda: er.KernelLogisticRegression().fit(X, Y > 0.0)),
    (
        "empirisk.solvers.kernel_cg",
        "cho_factor",
        lambda: er.KernelRidge(0.1, kernel=KERNEL, solver="kernel_cg").fit(X, Y),
    ),
    ("empirisk.estimators.kernel.left_out", "eigh", lambda: er.KernelRidge("cv", kernel=KERNEL).fit(X, Y)),
    ("empirisk.kernels.psd", "eigh", lambda: check_psd(KERNEL, X)),
    ("empirisk.estimators.features.kernel_pca", "linalg.eigh", lambda: er.KernelPCA(n_components=2).fit(X)),
    (
        "empirisk.estimators.features.projection",
        "np.linalg.eigh",
        lambda: er.Nystroem("gaussian", 10).fit(X),
    ),
]


@pytest.mark.parametrize(("module", "name", "fit"), CASES, ids=[f"{m}:{n}" for m, n, _ in CASES])
def test_dense_algebra_runs_on_one_thread(
    module: str, name: str, fit: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    holder: Any = importlib.import_module(module)
    *path, last = name.split(".")
    for part in path:
        holder = getattr(holder, part)
    plain, seen = getattr(holder, last), []

    def watched(*args: Any, **options: Any) -> Any:
        seen.append(max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"))
        return plain(*args, **options)

    monkeypatch.setattr(holder, last, watched)
    with threadpool_limits(2, user_api="blas"):
        fit()
    assert seen
    assert set(seen) == {1}
