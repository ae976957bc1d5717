"""Bounds on the risk: one theorem per file, one registry row each.

A theorem that relates the number of rows ``n``, a tolerance ``epsilon`` and a probability of failure
``delta`` returns a :class:`Guarantee` and solves for whichever of the three is not given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from empirisk.bounds.averaged_subgradient import averaged_subgradient
from empirisk.bounds.base import Guarantee, Theorem, solve_for
from empirisk.bounds.bernstein import bernstein
from empirisk.bounds.binary_kl import binary_kl, binomial_upper, kl_lower, kl_upper
from empirisk.bounds.c_bound import c_bound
from empirisk.bounds.calculator import evaluate_bound, list_bounds
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
from empirisk.bounds.compression import compression
from empirisk.bounds.cover_hart import cover_hart
from empirisk.bounds.discretisation import discretisation
from empirisk.bounds.empirical_bernstein import empirical_bernstein
from empirisk.bounds.finite_agnostic import finite_agnostic
from empirisk.bounds.finite_excess import finite_excess
from empirisk.bounds.finite_realizable import finite_realizable
from empirisk.bounds.finite_uniform import finite_uniform
from empirisk.bounds.first_order_vote import first_order_vote
from empirisk.bounds.fundamental_agnostic import fundamental_agnostic
from empirisk.bounds.fundamental_realizable import fundamental_realizable
from empirisk.bounds.ghost_excess import ghost_excess
from empirisk.bounds.ghost_realizable import ghost_realizable
from empirisk.bounds.ghost_training_error import ghost_training_error
from empirisk.bounds.ghost_uniform import ghost_uniform
from empirisk.bounds.gradient_descent import gradient_descent
from empirisk.bounds.growth import log_sauer
from empirisk.bounds.held_out_bernstein import held_out_bernstein
from empirisk.bounds.held_out_binomial import held_out_binomial
from empirisk.bounds.held_out_hoeffding import held_out_hoeffding
from empirisk.bounds.held_out_kl import held_out_kl
from empirisk.bounds.hoeffding import hoeffding
from empirisk.bounds.johnson_lindenstrauss import johnson_lindenstrauss
from empirisk.bounds.kmeans_plus_plus import kmeans_plus_plus
from empirisk.bounds.lower_agnostic import lower_agnostic
from empirisk.bounds.lower_realizable import lower_realizable
from empirisk.bounds.margin import margin
from empirisk.bounds.mcdiarmid import mcdiarmid
from empirisk.bounds.nearest_neighbors import nearest_neighbors
from empirisk.bounds.neighbors_leave_one_out import neighbors_leave_one_out
from empirisk.bounds.no_free_lunch import no_free_lunch
from empirisk.bounds.occam import occam
from empirisk.bounds.pac_bayes import pac_bayes_kl
from empirisk.bounds.pac_bayes_linear import pac_bayes_linear
from empirisk.bounds.pegasos import pegasos
from empirisk.bounds.perceptron import perceptron
from empirisk.bounds.perceptron_risk import perceptron_risk
from empirisk.bounds.rademacher import rademacher
from empirisk.bounds.regularised_oracle import regularised_oracle
from empirisk.bounds.requirements import Requirement, SampleSizes
from empirisk.bounds.sample_sizes import sample_sizes
from empirisk.bounds.search import smallest, smallest_n
from empirisk.bounds.sgd_constant_step import sgd_constant_step
from empirisk.bounds.sgd_decreasing_step import sgd_decreasing_step
from empirisk.bounds.simulation import SimulatedRows, coins, hardest_coins, hardest_rare, rare
from empirisk.bounds.stability import stability
from empirisk.bounds.stability_deviation import stability_deviation
from empirisk.bounds.structural_risk import structural_risk
from empirisk.bounds.tandem_vote import tandem_vote
from empirisk.bounds.vc_classical import vc_classical
from empirisk.bounds.vc_excess import vc_excess
from empirisk.bounds.vc_realizable import vc_realizable
from empirisk.bounds.vc_uniform import vc_uniform
from empirisk.bounds.vote_margin import vote_margin

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
    "finite_excess": finite_excess,
    "discretisation": discretisation,
    "vc_realizable": vc_realizable,
    "vc_uniform": vc_uniform,
    "vc_classical": vc_classical,
    "vc_excess": vc_excess,
    "ghost_realizable": ghost_realizable,
    "ghost_uniform": ghost_uniform,
    "ghost_excess": ghost_excess,
    "ghost_training_error": ghost_training_error,
    "structural_risk": structural_risk,
    "fundamental_realizable": fundamental_realizable,
    "fundamental_agnostic": fundamental_agnostic,
    "lower_realizable": lower_realizable,
    "lower_agnostic": lower_agnostic,
    "no_free_lunch": no_free_lunch,
    "rademacher": rademacher,
    "margin": margin,
    "vote_margin": vote_margin,
    "averaged_subgradient": averaged_subgradient,
    "c_bound": c_bound,
    "compression": compression,
    "cover_hart": cover_hart,
    "first_order_vote": first_order_vote,
    "gradient_descent": gradient_descent,
    "held_out_bernstein": held_out_bernstein,
    "held_out_binomial": held_out_binomial,
    "held_out_hoeffding": held_out_hoeffding,
    "held_out_kl": held_out_kl,
    "johnson_lindenstrauss": johnson_lindenstrauss,
    "kmeans_plus_plus": kmeans_plus_plus,
    "nearest_neighbors": nearest_neighbors,
    "neighbors_leave_one_out": neighbors_leave_one_out,
    "occam": occam,
    "pac_bayes_kl": pac_bayes_kl,
    "pac_bayes_linear": pac_bayes_linear,
    "pegasos": pegasos,
    "perceptron": perceptron,
    "perceptron_risk": perceptron_risk,
    "regularised_oracle": regularised_oracle,
    "sgd_constant_step": sgd_constant_step,
    "sgd_decreasing_step": sgd_decreasing_step,
    "stability": stability,
    "stability_deviation": stability_deviation,
    "tandem_vote": tandem_vote,
}

__all__ = [
    "REGISTRY",
    "Complexity",
    "Guarantee",
    "Requirement",
    "SampleSizes",
    "SimulatedRows",
    "Theorem",
    "averaged_subgradient",
    "bernstein",
    "binary_kl",
    "binomial_upper",
    "c_bound",
    "chernoff_kl",
    "clopper_pearson",
    "coins",
    "complexity_finite",
    "complexity_kernel",
    "complexity_l1",
    "complexity_l2",
    "complexity_simulated",
    "compression",
    "cover_hart",
    "discretisation",
    "empirical_bernstein",
    "evaluate_bound",
    "finite_agnostic",
    "finite_excess",
    "finite_realizable",
    "finite_uniform",
    "first_order_vote",
    "fundamental_agnostic",
    "fundamental_realizable",
    "ghost_excess",
    "ghost_realizable",
    "ghost_training_error",
    "ghost_uniform",
    "gradient_descent",
    "hardest_coins",
    "hardest_rare",
    "held_out_bernstein",
    "held_out_binomial",
    "held_out_hoeffding",
    "held_out_kl",
    "hoeffding",
    "johnson_lindenstrauss",
    "kl_lower",
    "kl_upper",
    "kmeans_plus_plus",
    "list_bounds",
    "log_sauer",
    "lower_agnostic",
    "lower_realizable",
    "margin",
    "mcdiarmid",
    "nearest_neighbors",
    "neighbors_leave_one_out",
    "no_free_lunch",
    "occam",
    "pac_bayes_kl",
    "pac_bayes_linear",
    "pegasos",
    "perceptron",
    "perceptron_risk",
    "rademacher",
    "rare",
    "regularised_oracle",
    "sample_sizes",
    "sgd_constant_step",
    "sgd_decreasing_step",
    "smallest",
    "smallest_n",
    "solve_for",
    "stability",
    "stability_deviation",
    "structural_risk",
    "tandem_vote",
    "vc_classical",
    "vc_excess",
    "vc_realizable",
    "vc_uniform",
    "vote_margin",
]


def __dir__() -> list[str]:
    return sorted(__all__)
