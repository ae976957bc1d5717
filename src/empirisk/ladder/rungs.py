"""The rungs of the ladder: one theorem, one file, one row; those from test rows share a file."""

from __future__ import annotations

from collections.abc import Callable

from empirisk.ladder.base import Problem
from empirisk.ladder.class_growth import class_growth
from empirisk.ladder.finite_class import finite_class
from empirisk.ladder.growth_tree import growth_tree
from empirisk.ladder.held_out import HELD_OUT
from empirisk.ladder.margin_radius import margin_radius
from empirisk.ladder.neighbors_expected import neighbors_expected
from empirisk.ladder.neighbors_left_out import neighbors_left_out
from empirisk.ladder.occam_coefficients import occam_coefficients
from empirisk.ladder.occam_rounded import occam_rounded
from empirisk.ladder.occam_tree import occam_tree
from empirisk.ladder.oracle_excess import oracle_excess
from empirisk.ladder.pac_bayes_gaussian import pac_bayes_gaussian
from empirisk.ladder.pac_bayes_vote import pac_bayes_vote
from empirisk.ladder.rademacher_ball import rademacher_ball
from empirisk.ladder.stability_expected import stability_expected
from empirisk.ladder.stability_fit import stability_fit
from empirisk.ladder.support_vectors import support_vectors
from empirisk.ladder.support_vectors_left_out import support_vectors_left_out
from empirisk.ladder.vc_half_spaces import vc_half_spaces
from empirisk.ladder.vc_no_errors import vc_no_errors
from empirisk.ladder.vc_training_error import vc_training_error
from empirisk.ladder.vote_c_bound import vote_c_bound
from empirisk.ladder.vote_margin import vote_margin
from empirisk.ladder.vote_mean_error import vote_mean_error
from empirisk.ladder.vote_tandem import vote_tandem
from empirisk.results import RiskCertificate

__all__ = ["FROM_TEST_ROWS", "RUNGS"]

FROM_TEST_ROWS = frozenset(HELD_OUT)

RUNGS: dict[str, Callable[[Problem], RiskCertificate]] = {
    **HELD_OUT,
    "occam_coefficients": occam_coefficients,
    "occam_rounded": occam_rounded,
    "vc_half_spaces": vc_half_spaces,
    "vc_training_error": vc_training_error,
    "vc_no_errors": vc_no_errors,
    "finite_class": finite_class,
    "class_growth": class_growth,
    "margin_radius": margin_radius,
    "rademacher_ball": rademacher_ball,
    "pac_bayes_gaussian": pac_bayes_gaussian,
    "pac_bayes_vote": pac_bayes_vote,
    "stability_fit": stability_fit,
    "stability_expected": stability_expected,
    "oracle_excess": oracle_excess,
    "support_vectors": support_vectors,
    "support_vectors_left_out": support_vectors_left_out,
    "occam_tree": occam_tree,
    "growth_tree": growth_tree,
    "vote_margin": vote_margin,
    "vote_mean_error": vote_mean_error,
    "vote_tandem": vote_tandem,
    "vote_c_bound": vote_c_bound,
    "neighbors_left_out": neighbors_left_out,
    "neighbors_expected": neighbors_expected,
}
