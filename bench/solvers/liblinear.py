"""LIBLINEAR's own Python interface; the conversion of the arrays is part of the call."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.objectives.base import Fit
from bench.solvers.base import Solver


def _square(X: Any, y: Any, alpha: float, kind: int, eps: float) -> Fit:
    return _train(X, y, 2.0 * alpha, kind, eps)  # its squares have no factor of 1/2


def _train(X: Any, y: Any, alpha: float, kind: int, eps: float) -> Fit:
    from liblinear.liblinearutil import parameter, problem, train

    options = f"-s {kind} -c {1.0 / (alpha * len(y)):.17g} -e {eps:g} -q"
    model = train(problem(np.where(y > 0, 1.0, -1.0), sp.csr_matrix(X)), parameter(options))
    sign = 1.0 if model.label[0] == 1 else -1.0
    return Fit(sign * np.ctypeslib.as_array(model.w, shape=(X.shape[1],)).copy())


SOLVERS = {
    "logistic": [
        Solver("liblinear", f"-s 0 -e {eps:g}", partial(_train, kind=0, eps=eps)) for eps in (1e-2, 1e-4)
    ],
    "svm_hinge": [
        Solver("liblinear", f"-s 3 -e {eps:g}", partial(_train, kind=3, eps=eps)) for eps in (1e-1, 1e-3)
    ],
    "svm_squared_hinge": [
        Solver("liblinear", f"-s {kind} -e {eps:g}", partial(_square, kind=kind, eps=eps))
        for kind, eps in ((2, 1e-2), (2, 1e-4), (1, 1e-1), (1, 1e-2))
    ],
    "l1_logistic": [
        Solver("liblinear", f"-s 6 -e {eps:g}", partial(_train, kind=6, eps=eps)) for eps in (1e-2, 1e-3)
    ],
}
