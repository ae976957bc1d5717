"""Any number of models on the same folds: scores, differences to the best and to a baseline, chances to be
best.

Differences hold all at once: their intervals are ``d -+ c se`` with the quantile c of ``max |T|`` over all
pairs, simulated from the joint law of the scores (Hothorn, Bretz and Westfall, Biometrical Journal 50,
2008). Those to the best need all pairs, because the same rows chose the best.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.evaluation.candidate import Candidate, one_model
from empirisk.evaluation.cross import CrossEvaluation
from empirisk.evaluation.intervals.base import Floats, refuse
from empirisk.evaluation.intervals.nadeau_bengio import nadeau_bengio
from empirisk.evaluation.intervals.repeated_kfold import scored_target
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.standing import Standing, stand
from empirisk.results import Estimate
from empirisk.wording import counted

__all__ = ["Contest", "ModelComparison", "candidates_of", "compare_many", "with_baseline"]

BASELINE = "baseline"
DRAWS = 20_000  # the simulated quantile has an error of 0.02 or less

Pair = tuple[int, int]


@dataclass(frozen=True)
class Contest:
    """What one metric says about all models.

    Parameters
    ----------
    metric : str
        Its name.
    label, unit : str
        The metric in words, and its unit.
    greater_is_better : bool
        Direction of the metric.
    scores : tuple of Estimate
        One for each model, with its own interval.
    best : int
        Position of the best mean score.
    to_best, to_baseline : tuple of Estimate or None
        ``metric(model) - metric(other)``, with intervals that hold for all models at once; None for the other
        one itself.
    probability_best : array of shape (m,)
        Share of draws from the joint law of the scores in which each model is the best.
    how : str
        Where the errors come from.
    """

    metric: str
    label: str
    unit: str
    greater_is_better: bool
    scores: tuple[Estimate, ...]
    best: int
    to_best: tuple[Estimate | None, ...]
    to_baseline: tuple[Estimate | None, ...]
    probability_best: Floats
    how: str

    def beaten(self) -> list[int]:
        """Return the positions of the models that the best one is better than, for all of them at once."""
        return [i for i, e in enumerate(self.to_best) if e is not None and _leaves_out_zero(e)]


@dataclass(frozen=True, repr=False)
class ModelComparison(Tabular, Mapping[str, Contest]):
    """A table of models on the same folds, one :class:`Contest` for each metric.

    Parameters
    ----------
    names : tuple of str
        The models.
    baseline : str or None
        Which of them is the baseline.
    contests : tuple of Contest
        What each metric says.
    evaluations : dict of str to CrossEvaluation
        The cross-evaluation of each model.
    """

    names: tuple[str, ...]
    baseline: str | None
    contests: tuple[Contest, ...]
    evaluations: dict[str, CrossEvaluation]

    def __getitem__(self, metric: str) -> Contest:
        found = {c.metric: c for c in self.contests}
        if metric not in found:
            raise KeyError(f"{metric!r} was not computed; this comparison holds {', '.join(found)}")
        return found[metric]

    def __iter__(self) -> Any:
        return iter([c.metric for c in self.contests])

    def __len__(self) -> int:
        return len(self.contests)

    @property
    def title(self) -> str:
        """The result in words, one sentence for each metric."""
        return " ".join(self._said(c) for c in self.contests)

    def _said(self, c: Contest) -> str:
        best, beaten = self.names[c.best], c.beaten()
        others = [i for i in range(len(self.names)) if i != c.best]
        if not others:
            return f"{c.metric} of {best}: {c.scores[c.best]}."
        if len(beaten) == len(others):
            return f"{c.metric}: {best} is better than the {counted(len(others), 'other')}."
        open_ones = ", ".join(self.names[i] for i in others if i not in beaten)
        clear = f"better than {', '.join(self.names[i] for i in beaten)}, and " if beaten else ""
        return f"{c.metric}: {best} has the best mean, is {clear}not shown to be better than {open_ones}."

    def _shown(self) -> dict[str, list[Any]]:
        table: dict[str, list[Any]] = {"metric": []} if len(self.contests) > 1 else {}
        score = "score" if len(self.contests) > 1 else self.contests[0].metric
        heads = [
            "model",
            score,
            "minus the best",
            *(["minus the baseline"] if self.baseline else []),
            "P(best)",
        ]
        table.update({head: [] for head in heads})
        for c in self.contests:
            for i in self._order(c):
                row = [self.names[i], c.scores[i], _or_words(c.to_best[i], "the best")]
                row += [_or_words(c.to_baseline[i], "the baseline")] if self.baseline else []
                row = [*([c.metric] if "metric" in table else []), *row, float(c.probability_best[i])]
                for head, value in zip(table, row, strict=True):
                    table[head].append(value)
        return table

    def _order(self, c: Contest) -> list[int]:
        """Return the positions of the models, best first; what has no score comes last."""
        values = np.array([e.value for e in c.scores])
        return [int(i) for i in np.argsort(-values if c.greater_is_better else values, kind="stable")]

    def _columns(self) -> dict[str, list[Any]]:
        rows = [(c, i) for c in self.contests for i in self._order(c)]
        none = Estimate(math.nan, None, None, 0.95, 0, "")
        return {
            "metric": [c.metric for c, _ in rows],
            "model": [self.names[i] for _, i in rows],
            **estimate_columns([c.scores[i] for c, i in rows]),
            **estimate_columns([c.to_best[i] or none for c, i in rows], "to_best"),
            **estimate_columns([c.to_baseline[i] or none for c, i in rows], "to_baseline"),
            "probability_best": [float(c.probability_best[i]) for c, i in rows],
        }

    def _notes(self) -> list[str]:
        level, n = self.contests[0].scores[0].level, self.contests[0].scores[0].n
        plan = next(iter(self.evaluations.values())).plan
        kinds = "to the best" + (f" and to {self.baseline}" if self.baseline else "")
        notes = [
            f"Scores: {100 * level:g} % each, n = {n}, models trained on {plan.n_train} of {plan.n} rows.",
            f"Differences {kinds}: {100 * level:g} % for all of them at once, by the joint law of the scores "
            "(max-t over all pairs of models, because the same rows chose the best).",
        ]
        if any(np.isnan(c.probability_best).any() for c in self.contests):
            notes.append(
                "P(best) cannot be told where there are too few rows, or up to three of them decide."
            )
        told = {
            e.reason
            for c in self.contests
            for e in (*c.scores, *c.to_best)
            if e and e.low is None and e.reason
        }
        return [*notes, *(f"Cannot tell: {reason}." for reason in sorted(told))]

    def plot(self, ax: Any = None, *, kind: str = "scores", metric: str | None = None) -> Any:
        """Draw the scores of all models, their differences to the best or the baseline, or the chances.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        kind : {"scores", "best", "baseline", "probability"}, default "scores"
            Scores with their own intervals; differences to the best or to the baseline, with simultaneous
            ones; the probability of being best.
        metric : str, optional
            Which metric; the first one by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        from empirisk.plots import BestProbabilityDisplay, CandidatesDisplay, EffectsDisplay

        c = self.contests[0] if metric is None else self[metric]
        order = self._order(c)
        if kind == "probability":
            chances = [{"label": self.names[i], "probability": float(c.probability_best[i])} for i in order]
            return BestProbabilityDisplay(chances).plot(ax)
        if kind in ("best", "baseline"):
            given = c.to_best if kind == "best" else c.to_baseline
            found = [
                {"label": self.names[i], "value": e.to_dict()} for i in order if (e := given[i]) is not None
            ]
            other = self.names[c.best] if kind == "best" else self.baseline or "the baseline"
            return EffectsDisplay(found, f"{c.metric} minus that of {other}", c.scores[0].level).plot(ax)
        if kind != "scores":
            raise ValueError(f"kind must be 'scores', 'best', 'baseline' or 'probability', got {kind!r}.")
        return CandidatesDisplay(
            [self._row(c, i) for i in order],
            {"label": c.label, "unit": c.unit, "greater_is_better": c.greater_is_better},
        ).plot(ax)

    def _row(self, c: Contest, i: int) -> dict[str, Any]:
        """Return one model as the chart of candidates takes it."""
        gain = c.to_baseline[i]
        return {
            "label": self.names[i],
            "score": c.scores[i].to_dict(),
            "role": "baseline" if self.names[i] == self.baseline else "candidate",
            "chosen": i == c.best,
            "versus_baseline": None if gain is None else gain.to_dict(),
        }


def candidates_of(models: Any) -> dict[str, Candidate]:
    """Return the models by name: those of a mapping, else the names of their classes, told apart.

    Raises
    ------
    ValueError
        There is no model.
    TypeError
        Classifiers among regressors, or what is no estimator.
    """
    if isinstance(models, Mapping):
        found = {str(name): one_model(m) for name, m in models.items()}
    else:
        listed = [one_model(m) for m in models]
        names = [c.name for c in listed]
        marks = "abcdefghijklmnopqrstuvwxyz" if len(names) <= 26 else [str(k + 1) for k in range(len(names))]
        apart = [f"{name} ({marks[k]})" if names.count(name) > 1 else name for k, name in enumerate(names)]
        found = dict(zip(apart, listed, strict=True))
    if not found:
        raise ValueError("there is no model to compare; give a list or a mapping of names to models.")
    if len({is_classifier(c.model) for c in found.values()}) > 1:
        raise TypeError("a classifier cannot be compared with a regressor.")
    return found


def with_baseline(
    models: dict[str, Candidate], baseline: Any, sample: Sample
) -> tuple[dict[str, Candidate], str | None]:
    """Return the models with a baseline among them, and its name; None where `baseline` is False."""
    if baseline is False:
        return models, None
    if isinstance(baseline, str):
        if baseline not in models:
            raise ValueError(f"baseline is {baseline!r}, which is none of the models: {', '.join(models)}.")
        return models, baseline
    if baseline is None and (sample.exposure is not None or sample.offset is not None):
        return models, None  # a constant takes no exposure
    if baseline is None:
        constant = DummyClassifier | DummyRegressor
        given = next((name for name, c in models.items() if isinstance(c.model, constant)), None)
        if given is not None:
            return models, given
        baseline = DummyRegressor() if sample.classes is None else DummyClassifier(strategy="prior")
    name = BASELINE if BASELINE not in models else f"{BASELINE} ({len(models) + 1})"
    return {**models, name: one_model(baseline)}, name


def compare_many(found: Mapping[str, CrossEvaluation], baseline: str | None, level: float) -> ModelComparison:
    """Return the table of cross-evaluations that used the same splits."""
    names, evaluations = tuple(found), list(found.values())
    base = None if baseline is None else names.index(baseline)
    contests = tuple(_contest(metric, evaluations, base, level) for metric in evaluations[0])
    return ModelComparison(names, baseline, contests, dict(found))


def _contest(metric: str, evaluations: Sequence[CrossEvaluation], base: int | None, level: float) -> Contest:
    """Return what one metric says about all models."""
    ours = evaluations[0].ours(metric)
    greater = True if ours is None else ours.greater_is_better
    scores = tuple(e[metric] for e in evaluations)
    standing = stand(evaluations, metric, -1.0 if greater else 1.0)
    if not np.isfinite(standing.loss).any():
        raise ValueError(f"{metric} is infinite or undefined for every model ({scores[0].reason}).")
    best = int(np.argmin(standing.loss))
    critical = max_t(standing, level)

    def against(other: int | None) -> tuple[Estimate | None, ...]:
        return tuple(
            None
            if other is None or i == other
            else _difference(metric, evaluations, standing, (i, other), critical, level)
            for i in range(len(scores))
        )

    return Contest(
        metric,
        metric if ours is None else ours.label or metric,
        "" if ours is None else ours.unit.replace("{}", "").strip("²"),
        greater,
        scores,
        best,
        against(best),
        against(base),
        standing.probability_best(),
        standing.how,
    )


def _difference(
    metric: str,
    evaluations: Sequence[CrossEvaluation],
    standing: Standing,
    pair: Pair,
    critical: float,
    level: float,
) -> Estimate:
    """Return the paired difference with its simultaneous interval; refused where a single one is refused."""
    i, j = pair
    single = paired(metric, evaluations[i], evaluations[j], level)
    error = standing.error(i, j)
    if single.low is None or not math.isfinite(critical) or not error > 0.0:
        return single
    low, high = single.value - critical * error, single.value + critical * error
    return replace(single, low=low, high=high, method=f"max-t over all pairs, {standing.how}", reason="")


def paired(metric: str, a: CrossEvaluation, b: CrossEvaluation, level: float) -> Estimate:
    """Return the paired difference of one metric by itself, of ours or of a user's."""
    plan, ours = a.plan, a.ours(metric)
    target = scored_target(plan.n_train, plan.n, what="difference", who="each algorithm")
    if ours is not None and (plan.folds is not None or len(plan.splits) == 1):
        first, second = (e.out_of_fold or e.held_out for e in (a, b))
        why = ours.unavailable(first[0]) or ours.unavailable(second[0])
        if why:
            return refuse(math.nan, level, plan.n_scored, "not available", why, target)
        return replace(ours.difference(first, second, plan.folds, level)[0], target=target)
    scores = a.fold_scores(metric) - b.fold_scores(metric)
    if not np.isfinite(scores).all():
        why = f"the score is undefined or infinite on {int((~np.isfinite(scores)).sum())} splits"
        return refuse(float(np.mean(scores)), level, plan.n_scored, "corrected resampled t", why, target)
    return nadeau_bengio(scores, plan.test_over_train, plan.n_scored, level, target=target)


def max_t(standing: Standing, level: float, seed: int = 0, draws: int = DRAWS) -> float:
    """Return the quantile of ``max_{i<j} |e_i - e_j|/se_ij`` for multivariate t errors e of the scores.

    Parameters
    ----------
    standing : Standing
        Covariance of the errors, and their degrees of freedom; models without a finite loss are left out.
    level : float
        The quantile.
    seed, draws : int
        Of the simulation.

    Returns
    -------
    float
        NaN where no two models have a difference with an error.
    """
    alive = np.flatnonzero(np.isfinite(standing.loss))
    covariance = standing.covariance[np.ix_(alive, alive)]
    if alive.size < 2 or not np.isfinite(covariance).all():
        return math.nan
    values, vectors = np.linalg.eigh(covariance)
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((draws, alive.size)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    largest = np.zeros(draws)
    for k in range(1, alive.size):  # one model against all before it: memory for m, not for m^2 differences
        error = standing.errors(int(alive[k]))[alive[:k]]
        seen = error > 0.0
        if seen.any():
            gaps = np.abs(noise[:, [k]] - noise[:, :k][:, seen]) / error[seen]
            largest = np.maximum(largest, gaps.max(axis=1))
    if not largest.any():
        return math.nan
    largest *= np.sqrt(standing.df / rng.chisquare(standing.df, size=draws))
    return float(np.quantile(largest, level))


def _leaves_out_zero(e: Estimate) -> bool:
    """Return whether the interval of a difference holds no 0."""
    return e.low is not None and e.high is not None and not e.low <= 0.0 <= e.high


def _or_words(e: Estimate | None, words: str) -> Any:
    """Return the estimate, or words in its place."""
    return words if e is None else e
