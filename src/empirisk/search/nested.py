"""Nested cross-validation: the score of a whole procedure, choice included.

Varma and Simon, BMC Bioinformatics 7 (2006).
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.data.frames import like_input
from empirisk.data.progress import Progress
from empirisk.evaluation.cross import CrossEvaluation, run
from empirisk.evaluation.evaluate import Metrics
from empirisk.evaluation.sample import Sample
from empirisk.results import Estimate
from empirisk.results.estimate import check_level

PROCEDURE = "the whole procedure, choice of settings included,"


class NestedEvaluation(CrossEvaluation):
    """A cross-evaluation of a search, with what the search chose in each outer fold.

    Parameters
    ----------
    inner : CrossEvaluation
        The outer folds.
    choices : tuple of dict
        Settings chosen in each of them.
    """

    def __init__(self, inner: CrossEvaluation, choices: tuple[dict[str, Any], ...]) -> None:
        estimates = {name: _about_procedure(e) for name, e in inner.items()}
        super().__init__(estimates, inner.title, inner.fitted, inner.out_of_fold, inner.held_out)
        self.choices = choices

    @property
    def stability(self) -> Mapping[str, float]:
        """For each parameter the share of outer folds that chose its most frequent value."""
        out = {}
        for name in dict.fromkeys(k for c in self.choices for k in c):
            counts = Counter(repr(c.get(name)) for c in self.choices)
            out[name] = max(counts.values()) / len(self.choices)
        return out

    def _choice_lines(self) -> list[str]:
        lines = []
        for name in self.stability:
            counts = Counter(_short(c.get(name)) for c in self.choices).most_common(4)
            lines.append(f"  Chosen {name}: {', '.join(f'{v} ({k}x)' for v, k in counts)}")
        return lines

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *self._choice_lines()])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{html.escape(line.strip())}</p>" for line in self._choice_lines())
        return super()._repr_html_() + notes


@like_input
def nested_cross_evaluate(
    search: Any,
    X: Any,
    y: ArrayLike,
    cv: Any = None,
    groups: ArrayLike | None = None,
    metrics: Metrics | None = None,
    level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
    *,
    repeats: int | None = 1,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    progress: Progress | None = None,
) -> NestedEvaluation:
    """Score a search by cross-validation: it chooses anew inside each outer fold, from its rows alone.

    The rows of an outer fold take no part in choosing the settings that they are predicted with, so there is
    no winner's curse in the result.

    Parameters
    ----------
    search : GridSearch, RandomSearch or any estimator that chooses its settings when fitted
        It is cloned. Groups are passed on to its inner folds when its ``fit`` takes them.
    X, y, cv, groups, metrics, level, random_state, sample_weight, exposure, offset, progress
        As in :func:`empirisk.cross_evaluate`; `cv` are the outer folds.
    repeats : int or None, default 1
        Repeats of the outer folds; one is thrifty and its interval says what that costs.

    Returns
    -------
    NestedEvaluation
        Estimates by name, and ``.choices``: what was chosen in each outer fold.

    Raises
    ------
    ValueError
        As :func:`empirisk.cross_evaluate`.

    Notes
    -----
    The estimand is the mean score of the models that the procedure gave in the outer folds, each from
    n(K-1)/K rows; not that of the settings that a search over all rows chooses, for which see
    ``GridSearch.best_score_``. Cost: folds x repeats searches.

    References
    ----------
    Varma & Simon 2006 (BMC Bioinformatics 7).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5)); y = X[:, 0] + rng.normal(size=100)
    >>> search = er.selection.GridSearch(er.Ridge(), {"alpha": [0.01, 0.1, 1.0]}, random_state=0)
    >>> ev = er.selection.nested_cross_evaluate(search, X, y, metrics="mse", random_state=0)
    >>> ev["mse"].low < 1.0 < ev["mse"].high, len(ev.choices)
    (True, 5)
    """
    check_level(level)
    sample = Sample.of(search, X, y, groups, weights=sample_weight, exposure=exposure, offset=offset)
    custom = cv is not None and not isinstance(cv, int | np.integer)
    plan = sample.plan(cv, None if custom else repeats, random_state)
    inner = run(search, sample, plan, metrics, level, progress, keep=_chosen)
    return NestedEvaluation(inner, tuple(inner.fitted.kept))


def _chosen(model: Any) -> dict[str, Any]:
    """Return the settings that a fitted search chose; ``alpha_`` and the like of models that tune
    themselves.
    """
    if hasattr(model, "best_params_"):
        return dict(model.best_params_)
    return {name: getattr(model, name) for name in ("alpha_", "C_") if hasattr(model, name)}


def _about_procedure(e: Estimate) -> Estimate:
    return replace(e, target=e.target.replace("this algorithm", PROCEDURE))


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
