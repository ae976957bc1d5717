"""What can be sampled: targets, problems, fitted models."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

from empirisk.problems.linear import LinearProblem
from empirisk.samplers.base import Sampler, Target
from empirisk.samplers.block_target import BlockTarget
from empirisk.samplers.linear_target import LinearTarget
from empirisk.samplers.softmax_target import SoftmaxTarget
from empirisk.wording import a_thing

__all__ = ["as_target"]


def as_target(
    thing: Any, sampler: Sampler, dispersion: float | None = None, temperature: float = 1.0
) -> Target:
    """Return what is to be sampled as a target: targets are themselves, problems and fitted models are
    posteriors.

    Parameters
    ----------
    thing : Target, LinearProblem, or fitted linear model that keeps its rows
    sampler : Sampler
        Which says whether a penalty may have kinks, and whether rows are drawn.
    dispersion : float > 0, optional
        Of losses that have one, such as the variance of the noise of a squared loss.
    temperature : float > 0, default 1.0
        Divides the potential.
    """
    given = callable(getattr(thing, "guess", None)) and hasattr(thing, "call") and not isinstance(thing, type)
    if sampler.by_blocks or isinstance(thing, BlockTarget):
        if sampler.by_blocks and isinstance(thing, BlockTarget):
            return _tempered(thing, dispersion, temperature)
        raise TypeError(
            f"method {sampler.name!r} and {a_thing(type(thing).__name__)} do not go together: 'gibbs' draws "
            "the blocks of an er.samplers.BlockTarget (such as er.samplers.regression_blocks(X, y)), and the "
            "others need a potential"
        )
    if given:
        if sampler.draws_rows and not isinstance(thing, LinearTarget):
            raise TypeError(
                f"method {sampler.name!r} draws rows of a linear problem or fitted linear model, and a "
                f"{type(thing).__name__} has none: sample it with 'nuts'"
            )
        return _tempered(thing, dispersion, temperature)
    model = None
    if hasattr(thing, "_fitted_problem") and not isinstance(thing, type):
        model, thing = thing, _posed(thing)
    if hasattr(thing, "named_steps"):
        raise TypeError(
            f"{a_thing(type(thing).__name__)} cannot be sampled: its last step can, as "
            "er.sample(pipeline[-1]), whose coefficients are those of the columns that the steps before make"
        )
    if not isinstance(thing, LinearProblem):
        raise TypeError(
            f"{a_thing(type(thing).__name__)} cannot be sampled: give a linear problem, a fitted linear "
            "model, or er.samplers.FunctionTarget(function, start)"
        )
    # A copy holds no rows, and stays as it is when the model is fitted to others.
    model = copy(model)
    columns, classes = getattr(model, "feature_names_in_", None), getattr(model, "classes_", None)
    near = None if model is None else model.solution_.w
    if thing.loss.multinomial:
        if sampler.draws_rows:
            raise TypeError(
                f"method {sampler.name!r} draws rows of models with one score a row, and a softmax has one "
                "for each class: sample it with 'nuts'"
            )
        thing = _with_dispersion(thing, dispersion)
        return SoftmaxTarget(thing, temperature, columns, classes, sampler.proximal, near, model)
    target = LinearTarget(thing, temperature, columns, sampler.proximal, near, classes, model)
    return replace(target, problem=_with_dispersion(thing, dispersion, needed=True))


def _tempered(target: Any, dispersion: float | None, temperature: float) -> Target:
    """The target at a temperature, which is a factor on the one that it has."""
    if dispersion is not None:
        if not isinstance(target, LinearTarget):
            raise ValueError(
                f"dispersion= is that of a loss, and {target.title} has none: divide U by it, or give "
                "temperature="
            )
        target = replace(target, problem=_with_dispersion(target.problem, dispersion))
    if temperature == 1.0:
        return target  # type: ignore[no-any-return]
    if not callable(getattr(target, "tempered", None)):
        raise TypeError(
            f"{a_thing(type(target).__name__)} has no method tempered(temperature) that divides its U: "
            "leave out temperature="
        )
    return target.tempered(temperature)  # type: ignore[no-any-return]


def _posed(model: Any) -> Any:
    """The problem of a fitted model on the rows that it keeps; what has none is told how to give them."""
    try:
        return model._fitted_problem(None, None, None)
    except ValueError as error:
        if not hasattr(model, "solution_"):
            raise
        raise ValueError(
            f"{error}; er.sample takes the rows of the fit as er.sample(model.problem(X, y)), with the "
            "weights, offsets and exposures that it had"
        ) from None


def _with_dispersion(problem: LinearProblem, dispersion: float | None, needed: bool = False) -> LinearProblem:
    """The problem with its dispersion, which is refused where the loss has none, and asked for where it has.

    The loss is asked without its offsets.
    """
    loss, _ = problem.loss.plain(problem.data.y)
    if dispersion is None:
        if needed and loss.likelihood and not loss.unit_dispersion and problem.dispersion == 1.0:
            raise ValueError(
                f"loss {loss.name!r} has a dispersion (the variance of the noise, for a squared loss), which "
                "this problem leaves at 1 and which scales the posterior: give dispersion="
            )
        return problem
    if dispersion != 1.0 and (loss.unit_dispersion or not loss.likelihood):
        why = "its mean decides its variance" if loss.likelihood else "it is no likelihood"
        raise ValueError(
            f"loss {loss.name!r} has no dispersion, because {why}: leave out dispersion=; temperature= makes "
            "the density flatter"
        )
    return replace(problem, dispersion=dispersion)
