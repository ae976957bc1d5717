"""Ask every finding about one model, correct for asking many, and say what to do next."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.data.frames import like_input
from empirisk.data.progress import Progress, teller
from empirisk.diagnosis import REGISTRY
from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context, Finder
from empirisk.diagnosis.build import context
from empirisk.diagnosis.decomposition import Decomposition, decompose
from empirisk.diagnosis.family import correct
from empirisk.diagnosis.result import Diagnosis
from empirisk.evaluation.cross import CrossEvaluation

__all__ = ["FAILED", "diagnose"]

FAILED = "This question could not be answered"
_ASKING = 0.85  # share of the time for the questions; the rest is for the parts of the loss


@like_input
def diagnose(
    est: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    replicates: ArrayLike | str | None = None,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    evaluation: CrossEvaluation | None = None,
    ignore: Sequence[str] = (),
    margin: float | None = None,
    cv: Any = 5,
    level: float = 0.05,
    random_state: int | np.random.Generator | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Diagnosis:
    """Find out what is wrong with a model and what to do next, by tests instead of thresholds.

    Most findings ask one question, would this concrete alternative have a lower risk by an amount that
    matters: ``d_i = loss_A(i) - loss_B(i)`` on out-of-fold rows, standard error ``1.25 sd(d)/sqrt(n)``, a
    margin, and three answers: it fires, it is clear, or the rows cannot tell (and about how many would).

    Parameters
    ----------
    est : estimator
        Classifier, regressor or pipeline, fitted or not; it is cloned and never changed.
    X : array, sparse matrix or data frame of shape (n, p), or Sample
        Rows; a :class:`empirisk.selection.Sample` holds the targets, and what rows carry, as well.
    y : array of shape (n,), optional
        Targets; left out where `X` is a sample.
    groups : array of shape (n,), optional
        Which rows belong together; folds and tests then go by whole groups.
    time : array of shape (n,), optional
        When each row was measured; the order of the rows by default.
    replicates : "equal" or array of shape (n,), optional
        Which rows are repeated measurements of one thing (equal entries; "equal": rows equal in all columns),
        where the things that were measured again were drawn at random: they bracket the noise (ER217).  Rows
        that merely happen to be equal bound it from below, as far as they go.
    X_test, y_test : optional
        Later rows (for drift).
    evaluation : CrossEvaluation, optional
        What :func:`cross_evaluate` returned for this model and these rows: its fold fits are used.
    ignore : sequence of str
        Codes of findings that are neither computed nor corrected for.
    margin : float, optional
        Smallest gain that matters, as a share of the baseline's risk; 0.02 by default.
    cv : int, splitter or iterable of (train, test), default 5
        Folds that test every row once; ignored with `evaluation`.
    level : float, default 0.05
        Bound on the probability that any finding fires although its null is true.
    random_state : int, Generator, RandomState or None
        Seed of folds, halves and permutations.
    progress : callable or bool, optional
        Called with (steps done, steps in all); True counts on the error stream.
    time_limit : float, optional
        Seconds after which the questions that are left are not asked; a question that takes longer is ended.
    sample_weight : array of shape (n,), optional
        How many rows of the population each row stands for. Fits get it, mean losses are weighted, and their
        errors are those of the linearised ratio; findings that count rows one by one (recalls, exact
        intervals, largest residuals) do not run, and say so.
    exposure, offset : array of shape (n,), optional
        Exposures, or known parts of the scores: fits and predictions get them, the losses are those of the
        counts, and the baseline predicts one rate times the exposure of the row.

    Returns
    -------
    Diagnosis
        ``.findings``, ``.checks``, ``.decomposition``, ``.next_step``, ``.to_frame()``.

    Raises
    ------
    ValueError
        Sizes that disagree, an unknown code, a margin or level out of range.

    Notes
    -----
    Holm's correction at `level` over all computable p-values; facts and intervals stand outside.  Losses are
    the squared error or the log loss (the Brier score where a model gives probability 0 to what occurred).
    What each finding needs, its false alarms and its
    power: docs/findings.

    References
    ----------
    P. Bayle, A. Bayle, L. Janson, L. Mackey, "Cross-validation confidence intervals for test error" (2020),
    arXiv 2007.12671; S. Holm, Scand. J. Statist. 6 (1979), 65-70.

    Examples
    --------
    >>> import empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] ** 2 + rng.normal(size=400)
    >>> d = er.diagnose(er.Ridge(), X, y, random_state=0)
    >>> d.checks["ER202"].outcome.value, d.checks["ER202"].name
    ('fires', 'underfitting')
    """
    _check(ignore, margin, level)
    wanted = {code: finder for code, finder in REGISTRY.items() if code not in ignore}
    steps = _Steps(progress, len(wanted))
    deadline = Deadline(None if time_limit is None else _ASKING * time_limit)
    ctx = context(
        est, X, y, groups=groups, time=time, replicates=replicates, X_test=X_test, y_test=y_test,
        evaluation=evaluation, margin=margin, cv=cv, level=level, random_state=random_state,
        progress=steps.folds, sample_weight=sample_weight, exposure=exposure, offset=offset,
    )  # fmt: skip
    start = clock.perf_counter()
    answers = []
    for code, finder in wanted.items():
        answers.append(_ask(code, finder, ctx, deadline))
        steps.one()
    corrected, adjusted = correct(answers, level)
    parts = _parts(ctx, Deadline(None if time_limit is None else 2.0 * (1.0 - _ASKING) * time_limit))
    seconds = clock.perf_counter() - start
    unit = "" if ctx.groups is None else f" in {int(ctx.groups.max()) + 1} groups"
    unit += f" ({ctx.carried})" if ctx.carried else ""
    fires = sum(a.outcome is Outcome.FIRES for a in corrected)
    title = (
        f"Diagnosis of {ctx.name} on {ctx.n:,} rows{unit} ({len(ctx.plan.splits)} folds): "
        f"{fires or 'no'} finding{'s' if fires != 1 else ''} among {len(corrected)} questions"
    )
    return Diagnosis(
        title, corrected, adjusted, parts, n_fits=ctx.n_fits, seconds=seconds, fit_seconds=ctx.fit_seconds
    )


def _ask(code: str, finder: Finder, ctx: Context, deadline: Deadline) -> Answer:
    """Return one answer with its name and cost; a finding that does not apply says why."""
    start, fits = clock.perf_counter(), ctx.n_fits
    try:
        with deadline.within(deadline.left()):
            answer = finder(ctx)
    except OutOfTime:
        answer = Answer(code, Outcome.NOT_RUN, "The time limit left no time for it.")
    except NotRun as reason:
        answer = Answer(code, Outcome.NOT_RUN, f"{str(reason)[:1].upper()}{str(reason)[1:]}.")
    except Exception as error:  # one finding may not take the others with it
        said = " ".join(str(error).split())[:200]
        answer = Answer(code, Outcome.NOT_RUN, f"{FAILED} ({type(error).__name__}: {said}).")
    return replace(
        answer,
        name=finder.__name__.replace("_", " "),
        seconds=clock.perf_counter() - start,
        n_fits=ctx.n_fits - fits,
    )


def _parts(ctx: Context, deadline: Deadline) -> Decomposition:
    """Return where the loss comes from, when there is time for it."""
    try:
        with deadline.within(deadline.left()):
            return decompose(ctx)
    except OutOfTime:
        return Decomposition((), "", math.nan)


def _check(ignore: Sequence[str], margin: float | None, level: float) -> None:
    if isinstance(ignore, str):
        raise TypeError(f"ignore must be a list of codes, for example ignore=[{ignore!r}].")
    unknown = sorted(set(ignore) - set(REGISTRY))
    if unknown:
        raise ValueError(f"ignore names unknown codes {', '.join(unknown)}; there are {', '.join(REGISTRY)}.")
    if margin is not None and not 0.0 <= margin < 1.0:
        raise ValueError(f"margin must lie in [0, 1), a share of the baseline's risk, got {margin!r}.")
    if not 0.0 < level < 0.5:
        raise ValueError(f"level must lie in (0, 0.5), got {level!r}; 0.05 is usual.")


class _Steps:
    """Progress over the fold fits and the findings together."""

    def __init__(self, progress: Progress | None, findings: int) -> None:
        self.tell, self.findings, self.done, self.total = teller(progress), findings, 0, findings

    def folds(self, done: int, total: int) -> None:
        self.done, self.total = done, total + self.findings
        self._tell()

    def one(self) -> None:
        self.done += 1
        self._tell()

    def _tell(self) -> None:
        self.tell(self.done, self.total)
