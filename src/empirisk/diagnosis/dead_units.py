"""ER221: units of a network that are 0 on every training row, and learn nothing more."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.model_parts import last_step

__all__ = ["CODE", "dead_units"]

CODE = "ER221"
# Share of the units of a layer from which the finding fires: a few die in healthy runs, and others take over.
MANY = 0.25


def dead_units(ctx: Context) -> Answer:
    """A count, no test: rectified units whose sum is at most 0 on every training row.

    Such a unit has slope 0 on all rows, so that no step moves its weights.  For networks with activations
    that die, ours and scikit-learn's.  It fires when a quarter of a hidden layer or more is dead; fewer are a
    fact.  One fit on all rows.

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.diagnosis import context
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    >>> model = er.MLPRegressor((20, 20), step=1.0, n_epochs=20)
    >>> dead_units(context(model, X, y, random_state=0)).outcome.value
    'fires'
    """
    counts = _counts(ctx)
    layer = max(range(len(counts)), key=lambda k: counts[k][0] / counts[k][1])
    dead, units = counts[layer]
    told = [
        f"{found} of {width} units of layer {number}"
        for number, (found, width) in enumerate(counts, 1)
        if found
    ]
    evidence = f"{ctx.name} fitted on all {ctx.n:,} rows; sums of each hidden unit on each row"
    if not told:
        return Answer(CODE, Outcome.CLEAR, "Every hidden unit is at work on some row.", evidence=evidence)
    sentence = f"{' and '.join(told)} are 0 on every training row, and learn nothing more."
    if dead < MANY * units:
        return Answer(CODE, Outcome.FACT, sentence, evidence=evidence)
    return Answer(
        CODE,
        Outcome.FIRES,
        sentence,
        evidence=evidence,
        advice="Take a tenth of the step, standardise the columns, or an activation that does not die "
        "(activation='leaky_relu').",
        where=(f"layer {layer + 1}",),
    )


def _counts(ctx: Context) -> list[tuple[int, int]]:
    """Return dead and all units of each hidden layer of the model on all rows."""
    last = last_step(ctx.est)
    ours, peer = hasattr(last, "hidden"), hasattr(last, "hidden_layer_sizes")
    if not (ours or peer) or not hasattr(last, "activation"):
        raise NotRun("the model is no network of layers")
    inner, X = ctx.refit(), ctx.X
    while hasattr(inner, "steps"):
        X, inner = inner[:-1].transform(X) if len(inner.steps) > 1 else X, inner.steps[-1][1]
    if len(inner.coefs_) < 2:
        raise NotRun("the network has no hidden layer")
    if peer:
        return _of_peer(inner, X)
    problem = inner.problem(X, ctx.y)
    if not any(f.dies for f in problem.layers.activations):
        raise NotRun(f"no unit dies with the activation {problem.layers.activations[0].name!r}")
    found = problem.evaluate(inner.solution_.w).silent
    return list(zip(found[:-1], problem.layers.widths[1:-1], strict=True))


def _of_peer(model: Any, X: Any) -> list[tuple[int, int]]:
    """Return the same of a network of scikit-learn."""
    if model.activation != "relu":
        raise NotRun(f"no unit dies with the activation {model.activation!r}")
    h, counts = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64), []
    for weights, bias in list(zip(model.coefs_, model.intercepts_, strict=True))[:-1]:
        h = np.maximum(h @ weights + bias, 0.0)
        counts.append((int((~h.any(axis=0)).sum()), h.shape[1]))
    return counts
