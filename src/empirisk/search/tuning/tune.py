"""``er.tune``: the settings of a model chosen within a budget, with the corrected score of the choice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from empirisk.data.frames import like_input
from empirisk.data.progress import Progress
from empirisk.data.seeds import Seed
from empirisk.estimators import REGISTRY
from empirisk.evaluation.parts import parts_of
from empirisk.results import Estimate
from empirisk.results.form import Form, Formed
from empirisk.search.result import SearchResult
from empirisk.search.tuning.ranges import NOTHING, RANGES, Space
from empirisk.search.tuning.tuner import Budget, Tuner

__all__ = ["Tuned", "tune"]

TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|seconds?|min|minutes?|h|hours?)\s*")


@dataclass(frozen=True, repr=False)
class Tuned(Formed):
    """A model with the settings that a search within a budget chose, and every trial.

    Parameters
    ----------
    model : estimator
        The chosen settings, fitted on all rows.
    params : dict
        These settings, as ``set_params`` takes them.
    score : Estimate
        Cross-validated score of the choice, corrected for having been chosen among all candidates.
    result : SearchResult
        Every candidate with its intervals; draws too.
    fits : int
        Fits on a fold that were made; values that are fitted together count once.
    notes : tuple of str
        Why the rounds of boosting ended where they did.
    """

    model: Any
    params: dict[str, Any]
    score: Estimate
    result: SearchResult
    fits: int
    notes: tuple[str, ...] = ()

    def to_frame(self) -> Any:
        """Return the trials, the best first: settings, scores with intervals, probability of being best."""
        return self.result.to_frame()

    def plot(self, ax: Any = None, *, kind: str = "winner") -> Any:
        """Draw what having chosen does to the score, or how sure it is which trial is best.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        kind : {"winner", "best", "grid"}, default "winner"
            As :meth:`empirisk.selection.SearchResult.plot`.

        Returns
        -------
        empirisk.plots.Plot
        """
        return self.result.plot(ax, kind=kind)

    def predict(self, X: Any) -> Any:
        """Return the predictions of the chosen model."""
        return self.model.predict(X)

    def _form(self) -> Form:
        form = self.result._form()
        return Form(form.sentence, form.columns, [*form.notes, f"{self.fits:,} fits on a fold.", *self.notes])

    def __repr__(self) -> str:
        told = [f"{self.fits:,} fits on a fold.", *self.notes]
        return "\n".join([repr(self.result), *(f"  {note}" for note in told)])


@like_input
def tune(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    budget: int | str = 100,
    space: Mapping[str, Any] | None = None,
    metric: Any = None,
    cv: Any = None,
    repeats: int | None = 1,
    rule: str = "min",
    racing: float | None = 0.05,
    level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    random_state: Seed = 0,
) -> Tuned:
    """Choose the settings of a model within a budget: ``argmin_theta (1/n) sum_i loss(y_i, f_theta(x_i))``
    over folds that row i was not in.

    The settings as given are scored first, then draws from sensible ranges, then draws near the best.  What
    one fit gives together is tried along its path: strengths of linear models and kernel machines, prunings
    of trees, numbers of neighbours, rounds of boosting.  Rounds go on, to 5,000 at most, while the interval
    of what the last of them gained, paired over the folds, lies above 0; at last the best settings are tried
    with a half and a quarter of their step.  Candidates that are worse beyond
    doubt leave between folds.

    Parameters
    ----------
    model : estimator
        One of ours, alone or at the end of a pipeline; any other one with `space`.
    X : array, sparse matrix or data frame of shape (n, p)
        Rows.
    y : array of shape (n,)
        Targets.
    budget : int or str, default 100
        A number of fits on a fold (values that are fitted together count once), or
        a time such as ``"30 s"`` or ``"5 min"`` for the fits, to which the last scoring comes.  The settings
        as given are scored on all folds in any case.
    space : mapping, optional
        Parameters to lists of values, SciPy distributions or :class:`empirisk.selection.LogUniform`, instead
        of our ranges.
    metric, cv : optional
        As in :class:`empirisk.selection.GridSearch`.
    repeats : int or None, default 1
        Of the folds.
    rule : {"min", "one_se"}, default "min"
        The best mean, or the simplest within one standard error where simple is known.
    racing : float or None, default 0.05
        Probability with which the best of a batch may leave early; None for no racing.
    level : float, default 0.95
        Nominal coverage of the intervals.
    groups, sample_weight, exposure, offset : array of shape (n,), optional
        As in the ``fit`` of :class:`empirisk.selection.GridSearch`.
    n_jobs : int, optional
        Processes, as in joblib.
    progress : callable, bool or None
        Called with (fits done, fits planned so far).
    random_state : int, Generator, RandomState or None, default 0
        Of draws, folds and bootstrap.  With a budget in fits an integer gives the same answer each time.

    Returns
    -------
    Tuned
        ``.model`` (fitted on all rows), ``.params``, ``.score`` (corrected), ``.to_frame()`` (all trials).

    Raises
    ------
    ValueError
        The budget is no number of fits and no time, or a parameter is out of range.
    TypeError
        The model is none of ours and there is no `space`, or it has nothing to choose.

    Notes
    -----
    The score is corrected by BBC-CV over all trials that were finished, as that of
    :class:`empirisk.selection.GridSearch` is.

    References
    ----------
    Bergstra & Bengio 2012 (Journal of Machine Learning Research 13); Tsamardinos, Greasidou & Borboudakis
    2018 (Machine Learning 107).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5)); y = X[:, 0] + rng.normal(size=100)
    >>> found = er.tune(er.Lasso(), X, y, budget=5)
    >>> sorted(found.params), found.fits, found.score.low < found.score.value < found.score.high
    (['alpha'], 5, True)
    """
    search = Tuner(
        model,
        _space_of(model, space),
        _budget_of(budget),
        metric=metric,
        cv=cv,
        repeats=repeats,
        rule=rule,
        racing=racing,
        level=level,
        n_jobs=n_jobs,
        progress=progress,
        random_state=random_state,
    )
    search.fit(X, y, groups=groups, sample_weight=sample_weight, exposure=exposure, offset=offset)
    found = search.result_
    notes = tuple(dict.fromkeys(search.said_[-1:]))
    return Tuned(search.best_estimator_, search.best_params_, found.score, found, search.tasks_, notes)


def _space_of(model: Any, space: Mapping[str, Any] | None) -> Space:
    """Return what is tried of a model: what the user gave, or our ranges."""
    if space is not None:
        return Space(draws=dict(space))
    last = parts_of(model).model
    name = type(last).__name__
    if REGISTRY.get(name) is not type(last):
        raise TypeError(
            f"tune has no ranges for {name}: give space={{parameter: values}}, such as"
            ' space={"alpha": er.selection.LogUniform(1e-3, 1e2)}'
        )
    if name in NOTHING:
        raise TypeError(f"tune has nothing to choose for {name}: {NOTHING[name]}")
    return RANGES[name]


def _budget_of(budget: Any) -> Budget:
    """Return a budget in fits or in seconds.

    Examples
    --------
    >>> _budget_of(40).fits, _budget_of("1.5 min").seconds
    (40, 90.0)
    """
    if isinstance(budget, int) and not isinstance(budget, bool) and budget >= 1:
        return Budget(fits=budget)
    found = TIME.fullmatch(budget) if isinstance(budget, str) else None
    if found is None or float(found[1]) == 0.0:
        raise ValueError(
            f"budget must be a number of fits >= 1, such as 100, or a time such as '30 s', got {budget!r}"
        )
    return Budget(seconds=float(found[1]) * {"s": 1.0, "m": 60.0, "h": 3600.0}[found[2][0]])
