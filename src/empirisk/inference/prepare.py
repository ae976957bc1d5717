"""The linearised fit of a solved problem, or the error that says why there is no inference."""

from __future__ import annotations

from collections.abc import Sequence

from empirisk.inference.fit import Fit, fits_of
from empirisk.inference.refusal import border_reason, no_freedom, solution_array, why_not
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution

__all__ = ["fit_for"]


def fit_for(
    what: str,
    problem: LinearProblem,
    solution: Solution,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[object] | None = None,
    weights: str = "frequency",
    blocked: str = "",
) -> Fit:
    """Return the fit of one target.

    Parameters
    ----------
    what : str
        What is asked for, for the words of the error.
    problem : LinearProblem
        The problem on the rows of the fit.
    solution : Solution
        Its solution.
    names, classes, weights, blocked
        As in :func:`summarise_glm`.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        With the reasons of the coefficient table, and for several targets or classes.
    """
    w = solution_array(problem, solution)
    if problem.n_outputs:
        raise ValueError(
            f"no {what} for several targets or classes: fit one target (or two classes) at a time"
        )
    reason = blocked or why_not(problem, names, classes) or border_reason(problem, w)
    if not reason:
        fit = fits_of(problem, w, names, weights)[0]
        if fit.df > 0.0:
            return fit
        reason = no_freedom(fit.total, fit.rank, fit.linear)
    raise ValueError(reason.replace("no standard errors", f"no {what}", 1))
