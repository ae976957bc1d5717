"""The diagnosis of the chosen model: its findings, checks and attribution in the words of the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import clone

from empirisk.diagnosis import Answer, Outcome
from empirisk.diagnosis.diagnose import diagnose
from empirisk.diagnosis.result import Diagnosis
from empirisk.report.audit.audit import Checked
from empirisk.report.estimates import Json, estimate, number
from empirisk.report.fit.final import FinalModel
from empirisk.report.fit.folds import AT_RANDOM
from empirisk.report.fit.held_out_scores import LABELS, unit_of
from empirisk.report.fit.sample import Sample
from empirisk.results import Estimate, Finding
from empirisk.wording import spelled

__all__ = ["Diagnosed", "diagnose_model"]

# The audit of the table asks these already: ER113 a column that predicts alone, ER119 a
# formula, ER107 and ER108 twins (which the folds keep together). The grid of the report is not that of an
# estimator.
DRIFT = "ER209"
DRAWN = "the test part was drawn at random from the same rows, so that it differs from them by chance only"
FOLDS = 5
ASKED = ("ER206", "ER207", "ER215", "ER219")
METRIC_OF = {"squared error": "mse", "log loss": "log_loss", "Brier score": "brier_score"}
OUTCOMES = {
    Outcome.FIRES: "found",
    Outcome.FACT: "found",
    Outcome.CLEAR: "nothing",
    Outcome.INTERVAL: "nothing",
    Outcome.CANNOT_TELL: "cannot_tell",
    Outcome.NOT_RUN: "not_run",
}


class Diagnosed:
    """A diagnosis with the encoded columns named as the table names them.

    Parameters
    ----------
    diagnosis : Diagnosis
    model : FinalModel
        Whose encoder made the columns.
    drawn : bool, default False
        Whether the test part was drawn at random, so that drift is no question.
    in_time : bool, default False
        Whether the candidates were scored forward in time, which the folds of the diagnosis are not.
    """

    def __init__(
        self, diagnosis: Diagnosis, model: FinalModel, drawn: bool = False, in_time: bool = False
    ) -> None:
        self.diagnosis, self.drawn, self.in_time = diagnosis, drawn, in_time
        # Longest first, so that no name is replaced inside a longer one; the name of the encoder's step leads
        # each of them ("levels__town_Oslo"), so that none is a word of a sentence.
        self._names = sorted(model.names, key=lambda pair: -len(pair[0]))

    def named(self, text: str) -> str:
        """Return the text with the table's names."""
        for made, name in self._names:
            text = text.replace(made, name)
        return text

    @property
    def findings(self) -> list[Finding]:
        """The findings with the names of the user's columns, the most important first."""
        columns = dict(self._names)
        return [
            Finding(
                f.code,
                f.level,
                self.named(f.sentence),
                self.named(f.evidence) + (f"; {AT_RANDOM}" if self.in_time else ""),
                self.named(f.advice),
                tuple(columns.get(w, w) for w in f.where),
            )
            for f in self.diagnosis.findings
        ]

    @property
    def checks(self) -> list[Checked]:
        """One line for each question that was asked."""
        return [
            Checked(a.code, a.name, OUTCOMES[a.outcome], self._sentence(a))  # type: ignore[arg-type]
            for a in self.diagnosis.answers
        ]

    def _sentence(self, a: Answer) -> str:
        return DRAWN if self.drawn and a.code == DRIFT else self.named(a.sentence)

    @property
    def best_step(self) -> str:
        """The advice of the finding whose step gains most; empty when none fires with a gain."""
        fired = [
            a
            for a in self.diagnosis.answers
            if a.outcome is Outcome.FIRES and a.gain is not None and a.gain.low is not None and a.advice
        ]
        if not fired:
            return ""
        best = max(fired, key=lambda a: a.gain.value if a.gain else 0.0)
        return self.named(best.advice)

    def attribution(self, unit: str | None, tuned: str, score: Estimate) -> Json | None:
        """``report["attribution"]``, in the loss of the diagnosis; None when it could not be taken apart.

        That of trees is the Brier score of their own shares of classes, not the log-loss of smoothed ones
        by which the report compares candidates (the metric `tuned`, with the `score` of the chosen one).
        In time the loss that is taken apart is that of the folds of the diagnosis, which are dealt at random.
        """
        made = self.diagnosis.decomposition
        parts = made.parts
        if not parts:
            return None
        metric = METRIC_OF[made.loss]
        risk = made.estimate if self.in_time or metric != tuned else score
        if self.in_time:
            risk = replace(risk, method=f"{risk.method}; {AT_RANDOM}")
        return {
            "label": LABELS[metric],
            "unit": unit_of(metric, unit),
            "risk": estimate(risk),
            "parts": [
                {
                    "part": p.name,
                    "value": None if p.value is None or p.status == "not identifiable" else number(p.value),
                    "low": None if p.low is None else number(p.low),
                    "high": None if p.high is None else number(p.high),
                    "standing": p.status,
                    "how": spelled(p.why),
                }
                for p in parts
            ],
        }


def diagnose_model(
    model: FinalModel,
    train: Sample,
    test: Sample,
    level: float,
    seed: int,
    *,
    drawn: bool = False,
    seconds: float | None = None,
) -> Diagnosed:
    """Diagnose the chosen candidate at its penalty, encoder included, on the training part.

    Parameters
    ----------
    model : FinalModel
        A linear one, or one made of trees.
    train, test : Sample
        The test part serves to look for drift only.
    level : float
        Nominal coverage; findings are wrong in at most ``1 - level`` of the reports.
    seed : int
    drawn : bool, default False
        Whether the test part was drawn at random from the same rows.
    seconds : float or None
        How long the diagnosis may take.
    """
    found = diagnose(
        clone(model.pipeline),
        train.frame,
        _labels(train),
        groups=train.groups,
        sample_weight=train.weights,
        exposure=train.exposure,
        time=train.time,
        cv=_folds(train, seed),
        X_test=None if drawn else _of_any_season(train, test, seed),
        y_test=None if drawn else _labels(test),
        ignore=ASKED,
        level=1.0 - level,
        random_state=seed,
        time_limit=seconds,
    )
    return Diagnosed(found, model, drawn, train.time is not None)


def _folds(train: Sample, seed: int) -> Any:
    """Return how many folds rows are dealt to, or the folds themselves where copies must stay together."""
    rows = train.dealt
    if rows.together is not None:
        return rows.plan(min(FOLDS, int(rows.together.max()) + 1), 1, seed).splits
    return min(FOLDS, train.n if train.groups is None else len(set(train.groups.tolist())))


def _labels(sample: Sample) -> Any:
    return sample.y if sample.task == "regression" else np.array(sample.classes)[sample.y]


def _of_any_season(train: Sample, test: Sample, seed: int) -> pl.DataFrame:
    """Return the test rows with the months, weekdays and hours of training rows.

    The test part is another season as soon as it is shorter than a year, which is no drift and was known.
    """
    if not test.calendar:
        return test.frame
    donors = np.random.default_rng(seed).integers(0, train.n, test.n)
    return test.frame.with_columns(train.frame[donors].select(test.calendar))
