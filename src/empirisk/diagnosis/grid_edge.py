"""ER215: the best setting is the last one tried, and the next would be better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression, Ridge

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.model_parts import last_step, with_last
from empirisk.diagnosis.words import cannot_tell, evidence, less_loss
from empirisk.wording import number, percent

__all__ = ["CODE", "Edge", "grid_edge"]

CODE = "ER215"


@dataclass(frozen=True)
class Edge:
    """A winner at the end of its grid.

    Parameters
    ----------
    name : str
        Parameter.
    value, beyond : float or int
        The winner and the next value outside, with the ratio (or step) of the last two.
    winner, extended : estimator
        Unfitted models with either value.
    """

    name: str
    value: Any
    beyond: Any
    winner: Any
    extended: Any


def grid_edge(ctx: Context) -> Answer:
    """One more step beyond the edge of the grid, when the winner stands there.

    Null: that step gains no more than the margin; level 0.025 for each edge (the p-value is doubled).  The
    winner is a selected minimum, so that the comparison favours it and the test is conservative.
    """
    found = edges(ctx)
    if not found:
        raise NotRun("no winner of a search stands at an edge of its grid")
    tests = []
    for edge in found:
        inside, outside = (
            ctx.row_losses(ctx.out_of_fold(m), ctx.scored) for m in (edge.winner, edge.extended)
        )
        tests.append((edge, ctx.compare(outside, model=inside)))
    edge, d = min(tests, key=lambda t: (bool(t[1].refused), t[1].p_fire))
    gain = ctx.share(d)
    shown = evidence(ctx, d, f"{edge.name} = {_show(edge.value)} against {_show(edge.beyond)}")
    if d.refused:
        sentence = cannot_tell(ctx, d, f"whether {edge.name} beyond {_show(edge.value)} is better")
        return Answer(CODE, Outcome.CANNOT_TELL, sentence, None, gain, shown)
    p = min(1.0, 2.0 * len(tests) * d.p_fire)
    stands = f"The best {edge.name} ({_show(edge.value)}) is the last value tried"
    if p <= ctx.level:
        sentence = f"{stands}, and {_show(edge.beyond)} would save {less_loss(gain, ctx.loss_name)}."
        advice = f"Extend the grid of {edge.name} to {_show(edge.beyond)} and beyond."
        return Answer(CODE, Outcome.FIRES, sentence, p, gain, shown, advice, (edge.name,))
    if all(t.outcome(0.0) is Outcome.CLEAR for _, t in tests):
        sentence = f"{stands}; the next would not save {percent(ctx.margin_share)} of the baseline's loss."
        return Answer(CODE, Outcome.CLEAR, sentence, p, gain, shown, where=(edge.name,))
    sentence = cannot_tell(ctx, d, f"whether {edge.name} beyond {_show(edge.value)} is better")
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, p, gain, shown, rows_needed=d.rows_needed or None)


def edges(ctx: Context) -> list[Edge]:
    """Return the winners at an edge, of grid searches and of estimators that tune their own penalty."""
    last = last_step(ctx.est)
    kind = type(last).__name__
    if hasattr(last, "param_grid"):
        search = last_step(ctx.est if hasattr(last, "best_params_") else ctx.refit())
        return _of_grid(ctx, search)
    own = kind in OWN_CV or getattr(last, "alpha", None) == "cv"
    if not own:
        raise NotRun("the model does not search a grid")
    model = last_step(ctx.refit())
    if kind not in OWN_CV and not hasattr(model, "selection_"):
        raise NotRun("every strength that makes another model is tried (all prunings of a tree)")
    return _of_penalty(ctx, model)


def _of_grid(ctx: Context, search: Any) -> list[Edge]:
    """Return the edges of a grid search: one numeric list for each parameter."""
    grids = search.param_grid if isinstance(search.param_grid, list) else [search.param_grid]
    best = search.best_params_
    found = []
    for grid in grids:
        if set(grid) != set(best) or any(best[k] not in list(v) for k, v in grid.items()):
            continue
        for name, tried in grid.items():
            beyond = next_outside(best[name], tried)
            if beyond is not None:
                base = clone(search.estimator).set_params(**best)
                further = clone(base).set_params(**{name: beyond})
                found.append(
                    Edge(name, best[name], beyond, with_last(ctx.est, base), with_last(ctx.est, further))
                )
    return found


OWN_CV = ("RidgeCV", "LassoCV", "ElasticNetCV", "LogisticRegressionCV")


def _of_penalty(ctx: Context, model: Any) -> list[Edge]:
    """Return the edge of a model that tunes its own penalty."""
    name, value, tried, build = _tuned(model)
    beyond = next_outside(value, tried)
    if beyond is None:
        return []
    winner, further = (with_last(ctx.est, build(v)) for v in (value, beyond))
    return [Edge(name, value, beyond, winner, further)]


def _tuned(model: Any) -> tuple[str, float, Any, Any]:
    """Return the parameter, winner, values tried, and how to build a model with a given value."""
    kind = type(model).__name__
    if kind == "RidgeCV":
        return "alpha", model.alpha_, model.alphas, lambda v: Ridge(v, fit_intercept=model.fit_intercept)
    if kind == "LassoCV":
        return "alpha", model.alpha_, model.alphas_, lambda v: Lasso(v, fit_intercept=model.fit_intercept)
    if kind == "ElasticNetCV":
        ratio = model.l1_ratio_
        tried = np.ravel(model.alphas_)
        return "alpha", model.alpha_, tried, lambda v: ElasticNet(v, l1_ratio=ratio)
    if kind == "LogisticRegressionCV":
        value = float(np.ravel(model.C_)[0])
        return "C", value, model.Cs_, lambda v: LogisticRegression(C=v, max_iter=model.max_iter)
    return "alpha", model.alpha_, model.selection_.alphas, lambda v: clone(model).set_params(alpha=v)


def next_outside(value: Any, tried: Any) -> Any:
    """Return the next value outside when `value` is the first or last of the sorted numbers `tried`, else
    None.

    The ratio of the last two values is continued (their step when one is not positive); whole numbers stay
    whole.

    Examples
    --------
    >>> next_outside(100.0, [1.0, 10.0, 100.0]), next_outside(10.0, [1.0, 10.0, 100.0])
    (1000.0, None)
    >>> next_outside(3, [3, 5, 9])
    2
    """
    if not isinstance(value, int | float | np.number) or isinstance(value, bool):
        return None
    try:
        values = np.unique(np.asarray(list(tried), dtype=np.float64))
    except (TypeError, ValueError):
        return None
    values = values[np.isfinite(values)]
    if values.size < 2 or not (np.isclose(value, values[0]) or np.isclose(value, values[-1])):
        return None
    end, neighbour = (values[0], values[1]) if np.isclose(value, values[0]) else (values[-1], values[-2])
    whole = all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in tried)
    beyond = end * end / neighbour if values[0] > 0.0 else 2.0 * end - neighbour
    if beyond < 0.0 <= values[0]:
        return None  # settings that were not tried below zero have a bound there
    if not whole:
        return float(beyond)
    rounded = round(beyond) if round(beyond) != end else int(end + np.sign(end - neighbour))
    return rounded if rounded >= 1 else None


def _show(value: Any) -> str:
    return number(float(value)) if isinstance(value, float | np.floating) else str(value)
