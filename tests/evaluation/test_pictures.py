"""Pictures of an evaluation: their numbers by brute force, weights as repetition, words, and what is kept."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

import empirisk as er
from empirisk.evaluation.evaluate import evaluate_predictions, predictions
from empirisk.evaluation.metrics.predictions import Predictions, relative
from empirisk.evaluation.pictures.confusion import confusion
from empirisk.evaluation.pictures.kinds import KINDS, picture
from empirisk.evaluation.pictures.ranks import pr_curve, roc_curve
from empirisk.evaluation.pictures.residuals import normal_quantiles, spread

LEVEL = 0.95


def two_classes(rng: np.random.Generator, n: int = 120, rate: float = 0.4) -> tuple[NDArray, NDArray]:
    """Labels, and probabilities with ties that tell something about them."""
    y = (rng.uniform(size=n) < rate).astype(int)
    return y, np.round(1.0 / (1.0 + np.exp(-1.5 * (y - 0.5) - rng.normal(size=n))), 2)


def weighted(p: Predictions, weights: NDArray) -> Predictions:
    return Predictions(**{**p.__dict__, "weights": relative(weights)})


def kinds_of(task: str) -> list[str]:
    return [name for name, kind in KINDS.items() if kind.task == task]


def test_the_roc_curve_holds_its_corners(rng: np.random.Generator) -> None:
    y, s = two_classes(rng)
    found = roc_curve(predictions(y, proba=s), LEVEL)
    assert found is not None
    cuts = np.append(np.unique(s), 2.0)
    fpr, tpr = (np.array([np.mean(s[y == k] >= cut) for cut in cuts]) for k in (0, 1))
    for x, value, low, high in zip(*(found[k] for k in ("x", "value", "low", "high")), strict=True):
        assert tpr[fpr < x].max(initial=0.0) - 1e-12 <= value <= tpr[fpr > x].min(initial=1.0) + 1e-12
        assert low <= value <= high


@pytest.mark.parametrize("curve", [roc_curve, pr_curve])
def test_weights_are_repetitions_in_the_values_of_curves(curve: Any, rng: np.random.Generator) -> None:
    y, s = two_classes(rng)
    times = rng.integers(1, 4, size=y.size)
    once = curve(weighted(predictions(y, proba=s), times), LEVEL)
    often = curve(predictions(np.repeat(y, times), proba=np.repeat(s, times)), LEVEL)
    assert once["value"] == pytest.approx(often["value"], abs=1e-12)
    assert np.all(np.array(once["low"]) <= np.array(often["low"]) + 1e-12)  # rows are fewer than their copies


def test_weights_are_repetitions_in_the_confusion_matrix(rng: np.random.Generator) -> None:
    y, s = two_classes(rng)
    times = rng.integers(1, 4, size=y.size)
    once = confusion(weighted(predictions(y, proba=s), times), ["no", "yes"], LEVEL)
    often = confusion(predictions(np.repeat(y, times), proba=np.repeat(s, times)), ["no", "yes"], LEVEL)
    assert np.array(once["counts"]) * times.mean() == pytest.approx(np.array(often["counts"]))
    for key in ("recall", "precision"):
        assert [e["value"] for e in once[key]] == pytest.approx([e["value"] for e in often[key]])


def test_weighted_bins_have_weighted_means(rng: np.random.Generator) -> None:
    z = rng.normal(size=300)
    r, w = rng.normal(size=300), rng.uniform(0.5, 2.0, size=300)
    found = spread(z, r, LEVEL, None, relative(w))
    assert found is not None
    order, at = np.argsort(z), 0
    for b in found["bins"]:
        rows = order[at : at + b["n"]]
        assert b["mean"]["value"] == pytest.approx(np.average(r[rows], weights=w[rows]))
        assert b["mean"]["low"] < b["mean"]["value"] < b["mean"]["high"]
        at += b["n"]
    assert at == 300


def test_normal_quantiles_of_weights_stand_at_the_weighted_shares(rng: np.random.Generator) -> None:
    r = rng.normal(size=4000)
    w = np.where(r > 0, 3.0, 1.0)  # three quarters of the weight is on the upper half
    found = normal_quantiles(r, LEVEL, relative(w))
    assert found is not None
    x, value = np.array(found["x"]), np.array(found["value"])
    mean = np.average(r, weights=w)
    sd = np.sqrt(np.average((r - mean) ** 2, weights=w))
    zero = np.interp((0.0 - mean) / sd, value, x)
    assert zero == pytest.approx(norm.ppf(0.25), abs=0.05)


def test_curves_of_several_classes_bear_their_names(rng: np.random.Generator) -> None:
    y = rng.integers(0, 3, size=150)
    table = rng.dirichlet(np.ones(3), size=150) + 0.5 * np.eye(3)[y]
    names = np.array(["a", "b", "c"])
    table = table / table.sum(axis=1, keepdims=True)
    ev = evaluate_predictions(names[y], proba=table, classes=names)
    drawn = ev.plot(kind="roc")
    assert sorted(t.get_text()[0] for t in drawn.axes.texts) == ["a", "b", "c"]
    alone = picture("roc", predictions(y == 1, proba=table[:, 1], classes=[False, True]), LEVEL)
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert ev.plot(ax, kind="precision_recall").axes is ax
    asked = picture("roc", predictions(names[y], proba=table, classes=names), LEVEL, "b")
    assert asked.curve["value"] == pytest.approx(alone.curve["value"])
    assert asked.positive == "b"


@pytest.mark.parametrize("kind", kinds_of("classification"))
@pytest.mark.parametrize("carried", ["", "both"])
def test_pictures_of_classes_are_drawn(kind: str, carried: str, rng: np.random.Generator) -> None:
    y, s = two_classes(rng, 200)
    rows: dict[str, Any] = {}
    if carried:
        rows["groups"] = np.arange(200) // 4
        rows["sample_weight"] = rng.uniform(0.2, 2.0, size=200)
    ev = evaluate_predictions(np.array(["no", "yes"])[y], proba=s, classes=["no", "yes"], **rows)
    drawn = ev.plot(kind=kind)
    assert drawn.title
    assert "nan" not in drawn.description


@pytest.mark.parametrize("kind", kinds_of("regression"))
@pytest.mark.parametrize("carried", ["", "both"])
def test_pictures_of_numbers_are_drawn(kind: str, carried: str, rng: np.random.Generator) -> None:
    z = rng.normal(size=200)
    rows: dict[str, Any] = {}
    if carried:
        rows["groups"] = np.arange(200) // 2
        rows["sample_weight"] = rng.uniform(0.2, 2.0, size=200)
    drawn = evaluate_predictions(z + rng.normal(size=200), pred=z, **rows).plot(kind=kind)
    assert drawn.title
    assert "nan" not in drawn.description


def test_what_cannot_be_drawn_is_said(rng: np.random.Generator) -> None:
    y, s = two_classes(rng)
    classes, numbers = evaluate_predictions(y, proba=s), evaluate_predictions(s, pred=s + 0.1 * y)
    with pytest.raises(ValueError, match=r"no picture of an evaluation; choose from intervals, roc"):
        classes.plot(kind="pie")
    with pytest.raises(ValueError, match=r"picture of regression, and the target here is one of class"):
        classes.plot(kind="residuals")
    with pytest.raises(ValueError, match=r"'roc' is a picture of classification.* residuals"):
        numbers.plot(kind="roc")
    with pytest.raises(ValueError, match=r"no class probabilities were given"):
        evaluate_predictions(y, pred=y, classes=[0, 1]).plot(kind="calibration")
    with pytest.raises(ValueError, match=r"rows are all of one class"):
        evaluate_predictions(np.ones(30, dtype=int), proba=s[:30], classes=[0, 1]).plot(kind="roc")
    with pytest.raises(ValueError, match=r"'residuals' is about all classes at once; leave positive out"):
        numbers.plot(kind="residuals", positive=1)
    with pytest.raises(ValueError, match=r"needs at least ten rows"):
        evaluate_predictions(s[:5], pred=s[:5]).plot(kind="residuals")


def test_pickles_and_copies_hold_no_rows(rng: np.random.Generator) -> None:
    z = rng.normal(size=9000)
    large = evaluate_predictions(z, pred=z + rng.normal(size=9000))
    assert len(pickle.dumps(large)) < 2000
    assert large.to_dict().keys() == pickle.loads(pickle.dumps(large)).to_dict().keys()
    for without in (pickle.loads(pickle.dumps(large)), copy.copy(large), copy.deepcopy(large)):
        assert without.plot().axes is not None
        with pytest.raises(ValueError, match=r"holds its metrics alone.*er\.evaluate on held-out rows again"):
            without.plot(kind="quantiles")


def test_a_model_with_weights_and_groups_is_drawn(rng: np.random.Generator) -> None:
    X = rng.normal(size=(160, 2))
    y = np.where(X[:, 0] + rng.normal(size=160) > 0, "yes", "no")
    w = np.where(np.arange(160) % 5 == 0, 0.0, 1.0 + rng.uniform(size=160))
    ev = er.evaluate(er.LogisticRegression().fit(X, y), X, y, sample_weight=w, groups=np.arange(160) // 2)
    assert ev.plot(kind="roc").description.startswith("ROC curve with band, n = 128")


@pytest.mark.slow  # a minute of drawing rows
@pytest.mark.parametrize("carried", ["rows", "groups", "weights"])
def test_the_band_of_the_roc_curve_covers_all_thresholds_at_once(
    carried: str, rng: np.random.Generator
) -> None:
    """The true curve of two normal distributions, one apart, lies inside the whole band 95 % of the time."""
    x = np.linspace(0.0, 1.0, 101)
    true = norm.sf(norm.isf(x) - 1.0)
    inside = 0
    for _ in range(1000):
        many = np.minimum(rng.geometric(0.3, size=60), 10) if carried == "groups" else np.ones(200, int)
        shared, groups = rng.normal(size=many.size), np.repeat(np.arange(many.size), many)
        side = np.repeat(rng.uniform(size=many.size) < 0.4, many)
        r = np.sqrt(0.5) if carried == "groups" else 0.0
        s = side + r * shared[groups] + np.sqrt(1 - r * r) * rng.normal(size=groups.size)
        p = predictions(side.astype(int), score=s, classes=[0, 1], groups=groups if r else None)
        if carried == "weights":
            p = weighted(p, rng.lognormal(0.0, 0.8, size=p.n))
        found = roc_curve(p, LEVEL)
        assert found is not None
        inside += bool(np.all((found["low"] <= true + 1e-12) & (true <= np.array(found["high"]) + 1e-12)))
    assert inside >= 930
