"""Bounds on the risk: one theorem per file, one registry row each.

A theorem that relates the number of rows ``n``, a tolerance ``epsilon`` and a probability of failure
``delta`` returns a :class:`Guarantee` and solves for whichever of the three is not given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from empirisk.bounds.base import Guarantee, Theorem, smallest, smallest_n, solve_for
from empirisk.bounds.bernstein import bernstein
from empirisk.bounds.chernoff_kl import chernoff_kl
from empirisk.bounds.clopper_pearson import clopper_pearson
from empirisk.bounds.complexity import (
    Complexity,
    complexity_finite,
    complexity_kernel,
    complexity_l1,
    complexity_l2,
    complexity_simulated,
)
from empirisk.bounds.discretisation import discretisation
from empirisk.bounds.empirical_bernstein import empirical_bernstein
from empirisk.bounds.finite_agnostic import finite_agnostic
from empirisk.bounds.finite_realizable import finite_realizable
from empirisk.bounds.finite_uniform import finite_uniform
from empirisk.bounds.fundamental_agnostic import fundamental_agnostic
from empirisk.bounds.fundamental_realizable import fundamental_realizable
from empirisk.bounds.growth import log_sauer
from empirisk.bounds.hoeffding import hoeffding
from empirisk.bounds.lower_agnostic import lower_agnostic
from empirisk.bounds.lower_realizable import lower_realizable
from empirisk.bounds.margin import margin
from empirisk.bounds.mcdiarmid import mcdiarmid
from empirisk.bounds.no_free_lunch import no_free_lunch
from empirisk.bounds.rademacher import rademacher
from empirisk.bounds.structural_risk import structural_risk
from empirisk.bounds.vc_classical import vc_classical
from empirisk.bounds.vc_excess import vc_excess
from empirisk.bounds.vc_realizable import vc_realizable
from empirisk.bounds.vc_uniform import vc_uniform

REGISTRY: dict[str, Callable[..., Any]] = {
    "hoeffding": hoeffding,
    "chernoff_kl": chernoff_kl,
    "clopper_pearson": clopper_pearson,
    "bernstein": bernstein,
    "empirical_bernstein": empirical_bernstein,
    "mcdiarmid": mcdiarmid,
    "finite_realizable": finite_realizable,
    "finite_uniform": finite_uniform,
    "finite_agnostic": finite_agnostic,
    "discretisation": discretisation,
    "vc_realizable": vc_realizable,
    "vc_uniform": vc_uniform,
    "vc_classical": vc_classical,
    "vc_excess": vc_excess,
    "structural_risk": structural_risk,
    "fundamental_realizable": fundamental_realizable,
    "fundamental_agnostic": fundamental_agnostic,
    "lower_realizable": lower_realizable,
    "lower_agnostic": lower_agnostic,
    "no_free_lunch": no_free_lunch,
    "rademacher": rademacher,
    "margin": margin,
}

__all__ = [
    "REGISTRY",
    "Complexity",
    "Guarantee",
    "Theorem",
    "bernstein",
    "chernoff_kl",
    "clopper_pearson",
    "complexity_finite",
    "complexity_kernel",
    "complexity_l1",
    "complexity_l2",
    "complexity_simulated",
    "discretisation",
    "empirical_bernstein",
    "finite_agnostic",
    "finite_realizable",
    "finite_uniform",
    "fundamental_agnostic",
    "fundamental_realizable",
    "hoeffding",
    "log_sauer",
    "lower_agnostic",
    "lower_realizable",
    "margin",
    "mcdiarmid",
    "no_free_lunch",
    "rademacher",
    "smallest",
    "smallest_n",
    "solve_for",
    "structural_risk",
    "vc_classical",
    "vc_excess",
    "vc_realizable",
    "vc_uniform",
]
