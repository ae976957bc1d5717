"""The class that a classifier comes from, where its VC dimension and growth function are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from empirisk.bounds import ghost_uniform, vc_uniform
from empirisk.bounds.growth import log_sauer
from empirisk.evaluation.outputs import model_name
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.class_bound import why_no_class
from empirisk.results import Assumption, RiskCertificate

__all__ = ["KnownClass", "certify", "half_spaces", "hypothesis_class", "known_class", "size_of", "uniform"]

NOT_OURS = "the model is not a hypothesis class that knows its growth function (see er.hypotheses)"
TWO = "the theorem is about two classes"


@dataclass(frozen=True)
class KnownClass:
    """A class as the bounds want it.

    Parameters
    ----------
    dimension : int
        VC dimension, or an upper bound.
    growth : callable
        ``n -> log S_n``.
    words : str
        The class.
    about : tuple of Assumption
        What is assumed about it.
    """

    dimension: int
    growth: Callable[[int], float]
    words: str
    about: tuple[Assumption, ...]

    def vc_dimension(self) -> int:
        """Return the VC dimension that the class was declared with."""
        return self.dimension

    def log_growth(self, n: int) -> float:
        """Return ``log S_n``, the logarithm of the largest number of labellings of n points."""
        return self.growth(n)


def known_class(problem: Problem) -> KnownClass | str:
    """Return the class of a linear classifier or of a member of :mod:`empirisk.hypotheses`; or why none is
    known.
    """
    return hypothesis_class(problem) if knows_growth(problem.model) else half_spaces(problem)


def knows_growth(model: Any) -> bool:
    """Tell whether a model knows the VC dimension and the growth of its own class."""
    return hasattr(model, "vc_dimension") and hasattr(model, "log_growth")


def half_spaces(problem: Problem) -> KnownClass | str:
    """Linear classifiers of the columns, by Cover's count.

    With an intercept ``S_n = 2 sum_{k < d} C(n - 1, k)``: a boundary through one of finitely many points can
    be moved off it. Without one it cannot, and Sauer's lemma is used.
    """
    why, form = why_no_class(problem), problem.linear
    if why or isinstance(form, str):
        return why
    if not problem.two_classes:
        return TWO
    d, free = form.dimension, form.free_intercept

    @cache
    def growth(n: int) -> float:
        return math.log(2.0) + log_sauer(n - 1, d - 1) if free and n > d else log_sauer(n, d)

    words = f"linear classifiers of {form.coef.shape[1]:,} columns"
    return KnownClass(d, growth, words, (Assumption(f"{words}: VC dimension {d:,}", "computed"),))


def hypothesis_class(problem: Problem) -> KnownClass | str:
    """Return the class of the model itself, unless the rows had a part in it."""
    model = problem.model
    if not knows_growth(model):
        return NOT_OURS
    if why := problem.features.fixed or problem.tuning.class_reason:
        return why
    if not problem.two_classes:
        return TWO
    if getattr(model, "listed", False):
        # The union over the members needs no search for the patterns that their table shows.
        dimension, log_size = len(model).bit_length() - 1, size_of(model)
        growth = cache(lambda n: min(log_size, n * math.log(2.0)))
    else:
        try:
            dimension, growth = model.vc_dimension(), cache(model.log_growth)
        except ValueError as error:
            return str(error)
    if not math.isfinite(dimension):
        return "the VC dimension of the class is infinite: its training errors promise nothing"
    words = getattr(model, "words", model_name(model))
    name = type(model).__name__
    return KnownClass(
        int(dimension),
        growth,
        words,
        (
            Assumption(f"the class, {name} with its parameters, was fixed before the rows were seen"),
            Assumption(f"{words}: VC dimension {int(dimension):,}", "computed"),
        ),
    )


def size_of(model: Any) -> float:
    """Return the logarithm of the number of members; infinite when there are infinitely many."""
    return float(getattr(model, "log_members", math.inf))


def certify(problem: Problem, name: str, known: KnownClass, value: float) -> RiskCertificate:
    """Return the row of a theorem about every member of a class."""
    return RiskCertificate(
        name,
        min(value, 1.0),
        None,
        problem.delta,
        problem.n,
        (Assumption("the rows are drawn independently"), *known.about, *rows_of_fit(problem)),
        value >= 1.0,
        kind="every model of the class",
        risk=problem.risk,
    )


def uniform(problem: Problem, name: str, known: KnownClass | str) -> RiskCertificate:
    """Training error and what the risk of no member exceeds its own by: of two theorems the smaller.

    Which of them it is depends on n, the class and delta, not on the rows.
    """
    if isinstance(known, str) or problem.losses is None:
        return refuse(problem, name, str(known))
    delta = problem.delta / problem.tuning.class_candidates
    excess = min(
        theorem(n=problem.n, delta=delta, hypotheses=known, sides=1).epsilon
        for theorem in (ghost_uniform, vc_uniform)
    )
    return certify(problem, name, known, float(problem.losses.mean()) + excess)
