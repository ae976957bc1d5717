"""What can be sampled: targets, problems, fitted models."""

from __future__ import annotations

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
        As the dispersion, of problems and fitted models alone.
    """
    given = callable(getattr(thing, "guess", None)) and hasattr(thing, "call") and not isinstance(thing, type)
    if (given or isinstance(thing, BlockTarget)) and (dispersion is not None or temperature != 1.0):
        raise ValueError(
            f"dispersion and temperature belong to problems and fitted models, and a {type(thing).__name__} "
            "has its own density: leave them out, and write them into its U or its blocks"
        )
    if sampler.by_blocks or isinstance(thing, BlockTarget):
        if sampler.by_blocks and isinstance(thing, BlockTarget):
            return thing  # type: ignore[return-value]
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
        return thing  # type: ignore[no-any-return]
    columns = near = classes = None
    if hasattr(thing, "_fitted_problem") and not isinstance(thing, type):
        model, thing = thing, thing._fitted_problem(None, None, None)
        columns, near = getattr(model, "feature_names_in_", None), model.solution_.w
        classes = getattr(model, "classes_", None)
    if not isinstance(thing, LinearProblem):
        raise TypeError(
            f"{a_thing(type(thing).__name__)} cannot be sampled: give a linear problem, a fitted linear "
            "model, or er.samplers.FunctionTarget(function, start)"
        )
    if dispersion is None and not thing.loss.unit_dispersion and thing.dispersion == 1.0:
        raise ValueError(
            f"loss {thing.loss.name!r} has a dispersion (the variance of the noise), which this problem "
            "leaves at 1 and which scales the posterior: give dispersion="
        )
    if dispersion is not None:
        thing = replace(thing, dispersion=dispersion)
    if thing.loss.multinomial:
        if sampler.draws_rows:
            raise TypeError(
                f"method {sampler.name!r} draws rows of models with one score a row, and a softmax has one "
                "for each class: sample it with 'nuts'"
            )
        return SoftmaxTarget(thing, temperature, columns, classes, sampler.proximal, near)
    return LinearTarget(thing, temperature, columns, sampler.proximal, near, classes)
