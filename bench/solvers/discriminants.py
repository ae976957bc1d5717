"""Linear and quadratic discriminants of ours and of scikit-learn, by each of its solvers.

A result is the chances of classes for the first rows; to predict them takes a hundredth of the time of a fit.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

import empirisk as er
from bench.objectives.discriminant import JUDGES
from bench.solvers.base import Solver


def _fit(X: Any, y: Any, strength: None, make: Any) -> np.ndarray:
    return np.asarray(make().fit(X, y).predict_proba(X[:JUDGES]))


SOLVERS = {
    "lda": [
        Solver("empirisk", "Cholesky", partial(_fit, make=er.LinearDiscriminantAnalysis)),
        *(
            Solver("scikit-learn", name, partial(_fit, make=partial(LinearDiscriminantAnalysis, solver=name)))
            for name in ("svd", "lsqr", "eigen")
        ),
    ],
    "qda": [
        Solver("empirisk", "Cholesky", partial(_fit, make=er.QuadraticDiscriminantAnalysis)),
        *(
            Solver(
                "scikit-learn", name, partial(_fit, make=partial(QuadraticDiscriminantAnalysis, solver=name))
            )
            for name in ("svd", "eigen")
        ),
    ],
}
