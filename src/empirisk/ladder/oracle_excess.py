"""Rung: the oracle inequality, which compares with the best weights instead of bounding a risk."""

from __future__ import annotations

import numpy as np

from empirisk.bounds import regularised_oracle
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.regularised import constants
from empirisk.results import RiskCertificate

__all__ = ["oracle_excess"]

NAME = "oracle inequality"
KIND = "the algorithm, in expectation"


def oracle_excess(problem: Problem) -> RiskCertificate:
    """Return the row of the oracle inequality, never a number: the risk of the best weights is not known."""
    c = constants(problem, expectation=True)
    if isinstance(c, str):
        return refuse(problem, NAME, c, KIND)
    norm = float(np.linalg.norm(problem.model.coef_))
    if norm == 0.0:
        return refuse(problem, NAME, "all coefficients are zero", KIND)
    excess = regularised_oracle(n=problem.n, rho=c.rho, alpha=c.alpha, norm=norm, gap=c.gap).epsilon
    return refuse(
        problem,
        NAME,
        "it compares with the best weights, whose risk is unknown: the expected logistic loss exceeds that "
        "of the best "
        f"weights of norm up to {norm:.3g} (the norm of this fit) by at most {excess:.3g}",
        KIND,
    )
