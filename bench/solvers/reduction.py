"""Principal components and random projections: ours, scikit-learn's, oneDAL's."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import decomposition
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

import empirisk as er
from bench.solvers.base import Solver


def _components(X: Any, y: Any, k: int) -> np.ndarray:
    return np.asarray(er.PCA(k).fit(X).components_)


def _scikit_learn(solver: str) -> Solver:
    def fit(X: Any, y: Any, k: int) -> np.ndarray:
        return np.asarray(decomposition.PCA(k, svd_solver=solver, random_state=0).fit(X).components_)

    return Solver("scikit-learn", f"svd_solver={solver}", fit)


def _intelex(X: Any, y: Any, k: int) -> np.ndarray:
    from sklearnex.decomposition import PCA

    return np.asarray(PCA(k, random_state=0).fit(X).components_)


def _projection(kind: str, density: float = 1.0) -> Solver:
    def project(X: Any, y: Any, width: int) -> np.ndarray:
        return np.asarray(er.RandomProjection(width, kind=kind, density=density).fit_transform(X))

    return Solver("empirisk", f"kind={kind}", project)


def _sparse(X: Any, y: Any, width: int) -> np.ndarray:
    return np.asarray(SparseRandomProjection(width, random_state=0).fit_transform(X))


def _gaussian(X: Any, y: Any, width: int) -> np.ndarray:
    return np.asarray(GaussianRandomProjection(width, random_state=0).fit_transform(X))


OURS = Solver("empirisk", "", _components)
DENSE = [OURS, _scikit_learn("auto"), _scikit_learn("arpack"), Solver("scikit-learn-intelex", "", _intelex)]
SOLVERS = {
    "components": DENSE,
    "components_wide": DENSE,
    "components_sparse": [OURS, _scikit_learn("arpack")],
    "projection": [
        _projection("srht"),
        _projection("sparse", 0.003),
        Solver("scikit-learn", "sparse", _sparse),
        Solver("scikit-learn", "gaussian", _gaussian),
    ],
}
