"""Why a fit has no valid standard errors, and what to use instead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from empirisk.data.collinear import find_collinear
from empirisk.inference.information import Information
from empirisk.inference.law import not_a_likelihood
from empirisk.losses.offset import without_offset
from empirisk.penalties.base import ConstraintSet
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import Separation, find_separation, zeros_run_off
from empirisk.results import Solution
from empirisk.typing import Array

__all__ = [
    "SHRUNK",
    "border_reason",
    "border_sentence",
    "no_freedom",
    "penalty_reason",
    "solution_array",
    "still_solves",
    "undetermined_note",
    "why_not",
]

# Scores nearer to the end of the link's range than this share of their largest size count as on it.
NEAR = 1e-5


def penalty_reason(problem: LinearProblem) -> str:
    """Return why a penalised or constrained fit has no standard errors; empty without penalty."""
    penalty = problem.penalty
    squares = problem.loss.quadratic
    if penalty.l1 > 0.0:
        debias = "er.debiased_lasso corrects the shrinkage, " if squares else ""
        return (
            "no standard errors: the L1 penalty chose which coefficients are zero by looking at these rows, "
            f"and shrank the others; a t-test that ignores the choice finds too much; {debias}"
            "er.split_sample_inference chooses on some rows and tests on others"
        )
    if penalty.l2 > 0.0:
        debias = " or er.debiased_lasso, which also works with more columns than rows" if squares else ""
        return SHRUNK.format(debias)
    if isinstance(penalty, ConstraintSet):
        return (
            f"no standard errors: the coefficients are held in a set ({type(penalty).__name__}), and an "
            "estimate on its boundary has no normal distribution; refit without the set"
        )
    if penalty.positive:
        return (
            "no standard errors: coefficients are held at or above 0, and an estimate on the boundary "
            "has no normal distribution; refit without the restriction"
        )
    return "" if penalty.separable else _OTHER_PENALTY


SHRUNK = (
    "no standard errors: the L2 penalty shrinks the coefficients, so that they are biased; a t-test would be "
    "about the shrunk coefficient, not about the effect of the column; refit without a penalty on columns "
    "chosen beforehand{}; er.bootstrap shows the spread, not the bias"
)
_OTHER_PENALTY = (
    "no standard errors: the penalty moves the coefficients away from the maximum of the likelihood; refit "
    "without one on columns chosen beforehand, or use er.split_sample_inference"
)


def why_not(
    problem: LinearProblem,
    names: Sequence[str] | None = None,
    classes: Sequence[object] | None = None,
    separation: Separation | None = None,
) -> str:
    """Return the reason that a penalty, the loss, or targets without a finite minimiser give; else empty."""
    reason = penalty_reason(problem) or not_a_likelihood(problem.loss)
    if reason or problem.loss.escape == "":
        return reason
    if problem.loss.escape == "classes":
        found = find_separation(problem, names, classes) if separation is None else separation
        if not found.separable:
            return ""
        return f"no standard errors: {found.sentence}; add a penalty, or drop the columns that separate"
    sentence = zeros_run_off(problem, names)
    return f"no standard errors: {sentence}" if sentence else ""


def border_sentence(problem: LinearProblem, w: Array) -> str:
    """Return which rows lie on the end of the range of their link; empty where none does."""
    loss, y, z = without_offset(problem.loss, problem.data.y, problem.scores(w))
    near = NEAR * max(float(np.abs(z).max(initial=0.0)), 1e-300)
    on = ((loss.outside(z - near) != 0.0) | (loss.outside(z + near) != 0.0)) & (problem.data.weight > 0.0)
    if not on.any():
        return ""
    row, count = int(np.argmax(on)), int(on.sum())
    return (
        f"the mean of row {row} (target {y[row]:g}) lies on the end of what the loss {loss.name!r} allows "
        f"({count} such {'row' if count == 1 else 'rows'} in all)"
    )


def border_reason(problem: LinearProblem, w: Array) -> str:
    """Return why a fit on the end of its link's range has no standard errors; empty where it is not."""
    found = "" if problem.n_outputs else border_sentence(problem, w)
    return found and (
        f"no standard errors: {found}, and an estimate on a border has no normal distribution; use a link "
        "with every score, such as 'log', or er.bootstrap"
    )


def no_freedom(total: float, rank: int, squares: bool) -> str:
    """Return the sentence that says that no residual degrees of freedom are left for the noise."""
    instead = ", or use er.debiased_lasso" if squares else ", or use er.split_sample_inference"
    return (
        f"no standard errors: the rows (sum of weights {total:g}) and the free coefficients "
        f"({rank}) leave no degrees of freedom for the noise; collect more rows, drop columns{instead}"
    )


def undetermined_note(terms: Sequence[str], known: np.ndarray, info: Information) -> str:
    """Return which coefficients the columns do not determine, and which relations between columns are to
    blame.
    """
    lost = [term for term, ok in zip(terms, known, strict=True) if not ok]
    shown = ", ".join(lost[:8]) + (f" and {len(lost) - 8} more" if len(lost) > 8 else "")
    names = terms[1:] if info.intercept else terms
    found = find_collinear(info.design, info.weight, info.intercept, names, factor=info.factor)
    because = "; ".join([r.sentence for r in found.relations if r.exact][:5]) or "columns are collinear"
    return (
        f"not determined by the data: {shown} ({because}); many values fit equally well (the fit took those "
        "of smallest norm), so none is given; the other rows are not affected"
    )


def solution_array(problem: LinearProblem, w: Array | Solution) -> Array:
    """Return the parameters; a Solution is refused on rows that it is no solution of."""
    if not isinstance(w, Solution):
        return np.asarray(w, dtype=np.float64)
    if not still_solves(problem, w):
        raise ValueError(
            "X, y and sample_weight are not the rows that the model was fitted on (the fit is not optimal "
            "for them); standard errors are about the rows of the fit: pass those, or refit"
        )
    return np.asarray(w.w, dtype=np.float64)


def still_solves(problem: LinearProblem, solution: Solution, slack: float = 1e-3) -> bool:
    """Return whether the solution is about as good for this problem as it was where it was found.

    `slack` is a relative gap that is forgiven: given rows may differ from those of the fit by rounding.
    """
    if np.shape(solution.w) != problem.shape:
        return False
    theta = solution.dual
    same = theta is None or len(theta) == problem.data.n_rows
    most = max(100.0 * solution.certificate.relative, slack)
    now = problem.certify(solution.w, theta=theta if same else None)
    # A fit in float32 was certified with the best of several dual points, which cost a pass each.
    return now.relative <= most or problem.sharpened(solution.w, now, most).relative <= most
