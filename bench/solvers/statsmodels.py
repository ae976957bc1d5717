"""statsmodels: maximum likelihood; at a strength of 1/n the optimum is the same to five digits."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "statsmodels"


def _glm(X: Any, y: Any, alpha: float, family: str) -> Fit:
    import statsmodels.api as sm

    law = sm.families.Poisson() if family == "poisson" else sm.families.Gamma(sm.families.links.Log())
    found = sm.GLM(y, np.column_stack([np.ones(len(y)), X]), family=law).fit()
    return Fit(np.asarray(found.params[1:]), float(found.params[0]))


def _quantile(X: Any, y: Any, level: float, tol: float) -> Fit:
    import statsmodels.api as sm

    rows = sm.QuantReg(y, np.column_stack([np.ones(len(y)), X]))
    found = rows.fit(q=level, p_tol=tol, max_iter=5000, vcov="iid")
    return Fit(np.asarray(found.params[1:]), float(found.params[0]))


SOLVERS = {
    **{
        family: [Solver(LIBRARY, "GLM, no penalty", partial(_glm, family=family))]
        for family in ("poisson", "gamma")
    },
    "quantile": [
        Solver(LIBRARY, f"QuantReg p_tol={tol:g}", partial(_quantile, tol=tol)) for tol in (1e-6, 1e-3)
    ],
}
