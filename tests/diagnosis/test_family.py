"""Holm's correction against statsmodels; causes before symptoms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from statsmodels.stats.multitest import multipletests

import empirisk as er
from empirisk.diagnosis import Answer, Outcome
from empirisk.diagnosis.family import correct, holm, ranked
from empirisk.results import Estimate


@pytest.mark.parametrize("m", [1, 2, 7, 16])
def test_holm_is_that_of_statsmodels(rng: np.random.Generator, m: int) -> None:
    p = rng.random(m) ** 3
    np.testing.assert_allclose(holm(list(p)), multipletests(p, method="holm")[1], rtol=1e-12)


def fired(code: str, p: float | None, gain: float | None = None) -> Answer:
    estimate = None if gain is None else Estimate(gain, gain / 2, 2 * gain, 0.95, 100, "")
    return Answer(code, Outcome.FIRES, f"{code} it is.", p, estimate)


def test_findings_that_holm_denies_become_cannot_tell() -> None:
    asked = [
        fired("ER201", 0.001, 0.1),
        fired("ER205", 0.04),
        fired("ER203", None, 0.2),
        Answer("ER202", Outcome.CLEAR, "", 0.9),
        Answer("ER213", Outcome.FACT, "Separated."),
    ]
    answers, adjusted = correct(asked, 0.05)
    outcomes = {a.code: a.outcome.value for a in answers}
    assert outcomes == {
        "ER201": "fires", "ER205": "cannot tell", "ER203": "fires", "ER202": "clear", "ER213": "fact",
    }  # fmt: skip
    assert set(adjusted) == {"ER201", "ER205", "ER202"}
    assert answers[1].sentence.startswith("Suspected but not shown (p = 0.04, 0.08 among 3 findings): ER205")


def test_causes_before_symptoms_then_doubts_then_gains_then_facts() -> None:
    answers = [
        fired("ER201", 0.001, 0.3),
        fired("ER215", 0.001, 0.1),
        fired("ER212", 0.001),
        Answer("ER213", Outcome.FACT, ""),
        fired("ER207", 0.001, 0.02),
    ]
    assert [a.code for a in ranked(answers)] == ["ER207", "ER215", "ER212", "ER213", "ER201"]
    assert [a.code for a in ranked(answers[:-1])] == ["ER201", "ER215", "ER212", "ER213"]


def test_a_column_that_beats_a_poor_model_comes_after_the_richer_class() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    y = X[:, 0] - X[:, 1] + 2.0 * X[:, 3] ** 2 + rng.normal(size=500)
    codes = [f.code for f in er.diagnose(er.Ridge(), X, y, random_state=0).findings]
    assert codes[0] == "ER202"
    leak = np.column_stack([X, y + 0.01 * rng.normal(size=500)])
    assert er.diagnose(er.Ridge(), leak, y, random_state=0).findings[0].code == "ER206"


def test_a_leak_comes_first_even_when_the_model_is_shrunk() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 5))
    y = X[:, 0] - X[:, 1] + rng.logistic(size=500) > 0
    leak = y + 0.05 * rng.normal(size=500)
    d = er.diagnose(er.LogisticRegression(), np.column_stack([X, leak]), y, random_state=0)
    assert {"ER202", "ER206"} <= {f.code for f in d.findings}  # a richer model is better, too
    assert d.findings[0].code == "ER206"
    assert "at least 100 %" in d.findings[0].sentence
    estimation, risk = d.decomposition["estimation"], d.decomposition.risk
    assert estimation.high < 2.0 * risk


def test_other_columns_are_not_asked_for_when_another_model_is_better() -> None:
    asked = [fired("ER204", 0.001, -0.5), fired("ER201", 0.001, 0.6), fired("ER205", 0.001)]
    assert correct(asked, 0.05)[0][0].advice.startswith("Change the model first (ER201)")
    assert correct(asked[:1], 0.05)[0][0].advice == ""


def test_no_gain_is_larger_than_the_loss_and_copies_are_told_in_per_cent() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(250, 5))
    y = X[:, 0] - X[:, 1] + rng.logistic(size=250) > 0
    X, y = np.vstack([X, X]), np.append(y, y)
    d = er.diagnose(KNeighborsClassifier(1), X, y, random_state=0)
    assert "e+" not in d.checks["ER207"].sentence
    most = d.decomposition["noise + approximation"].high + d.decomposition["estimation"].low
    assert d.decomposition["estimation"].high <= most * (1.0 + 1e-9)
    baseline = y.mean() * (1.0 - y.mean())  # Brier score of the class shares, but for the folds
    assert d.checks["ER203"].gain.high * baseline <= most * 1.02
