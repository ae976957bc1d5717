"""Machines with a Gaussian kernel: ours, LIBSVM in scikit-learn, and oneDAL.

A call fits, and predicts all rows.
"""

from __future__ import annotations

from typing import Any

from sklearn.svm import SVC

import empirisk as er
from bench.objectives.kernel_machine import Machine, machine, width
from bench.solvers.base import Solver


def _ours(X: Any, y: Any, strength: float) -> Machine:
    model = er.SVC(strength, kernel=er.kernels.Gaussian(gamma=width(X))).fit(X, y)
    model.predict(X)
    return machine(model)


def _libsvm(tol: float, cache: float) -> Solver:
    def fit(X: Any, y: Any, strength: float) -> Machine:
        model = SVC(tol=tol, cache_size=cache).fit(X, y)
        model.predict(X)
        return machine(model)

    return Solver("scikit-learn", f"SVC tol={tol:g} cache={cache:g}", fit)


def _intelex(tol: float) -> Solver:
    def fit(X: Any, y: Any, strength: float) -> Machine:
        from sklearnex.svm import SVC

        model = SVC(tol=tol).fit(X, y)
        model.predict(X)
        return machine(model)

    return Solver("scikit-learn-intelex", f"SVC tol={tol:g}", fit)


SOLVERS = {
    "svc_rbf": [
        Solver("empirisk", "SVC", _ours),
        _libsvm(1e-3, 200),
        _libsvm(3e-5, 500),
        _intelex(1e-3),
        _intelex(3e-5),
    ],
}
