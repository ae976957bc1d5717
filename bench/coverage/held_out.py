"""Held-out rows: independent, in groups, and paired."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import special, stats
from sklearn.metrics import roc_auc_score

from bench.coverage.harness import Rng, Sample, case
from bench.coverage.truths import CALIBRATED, OVERCONFIDENT, SHIFT, binormal_ap
from empirisk.evaluation.intervals import tango
from empirisk.selection import evaluate_predictions, paired_losses


@case(
    "accuracy 0.97, 100 rows",
    20000,
    "counts are a lattice: 95.2 % on average over accuracies from 0.5 to 0.995",
)
def accuracy(rng: Rng) -> Sample:
    wrong = rng.random(100) < 0.03
    return evaluate_predictions(np.zeros(100, int), pred=wrong, classes=[0, 1], metrics="accuracy")[
        "accuracy"
    ], 0.97


@case("log-loss of an overconfident model, 50 rows", 4000)
def log_loss(rng: Rng) -> Sample:
    t = 1.5 * rng.normal(size=50)
    y = rng.random(50) < special.expit(t)
    return evaluate_predictions(y, proba=special.expit(1.5 * t), classes=[0, 1], metrics="log_loss")[
        "log_loss"
    ], OVERCONFIDENT


@case("squared error, Gaussian noise, 50 rows", 4000)
def mse(rng: Rng) -> Sample:
    return evaluate_predictions(rng.normal(size=50), pred=np.zeros(50), metrics="mse")["mse"], 1.0


@case(
    "squared error, t5 noise, 200 rows",
    4000,
    "fourth moment barely finite: the tail is missing from the sample",
)
def mse_heavy_tails(rng: Rng) -> Sample:
    return evaluate_predictions(rng.standard_t(5, size=200), pred=np.zeros(200), metrics="mse")[
        "mse"
    ], 5.0 / 3.0


@case("absolute error, t5 noise, 200 rows", 4000)
def mae_heavy_tails(rng: Rng) -> Sample:
    truth = 2.0 * math.sqrt(5.0) * special.gamma(3.0) / (special.gamma(2.5) * 4.0 * math.sqrt(math.pi))
    return evaluate_predictions(rng.standard_t(5, size=200), pred=np.zeros(200), metrics="mae")["mae"], truth


@case("R2 = 0.5, 50 rows", 4000)
def r2(rng: Rng) -> Sample:
    x = rng.normal(size=50)
    return evaluate_predictions(x + rng.normal(size=50), pred=x, metrics="r2")["r2"], 0.5


def binormal(rng: Rng, n: int, prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    y = rng.random(n) < prevalence
    return y, rng.normal(size=n) + SHIFT * y


@case("AUC 0.9, half positive, 60 rows", 4000)
def auc(rng: Rng) -> Sample:
    y, s = binormal(rng, 60, 0.5)
    return evaluate_predictions(y, score=s, classes=[False, True], metrics="roc_auc")["roc_auc"], 0.9


@case("AUC 0.9, 20 % positive, 100 rows", 4000)
def auc_unbalanced(rng: Rng) -> Sample:
    y, s = binormal(rng, 100, 0.2)
    return evaluate_predictions(y, score=s, classes=[False, True], metrics="roc_auc")["roc_auc"], 0.9


AP = binormal_ap(0.2, SHIFT)


@case("average precision 0.73, 20 % positive, 200 rows", 4000)
def average_precision(rng: Rng) -> Sample:
    y, s = binormal(rng, 200, 0.2)
    ev = evaluate_predictions(y, score=s, classes=[False, True], metrics="average_precision")
    return ev["average_precision"], AP


def labels(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and predictions: 20 % positive, sensitivity 0.6, specificity 0.9."""
    y = rng.random(n) < 0.2
    return y, np.where(y, rng.random(n) < 0.6, rng.random(n) < 0.1)


@case("F1 = 0.6, 20 % positive, 100 rows", 4000)
def f1(rng: Rng) -> Sample:
    y, pred = labels(rng, 100)
    return evaluate_predictions(y, pred=pred, classes=[False, True], metrics="f1")["f1"], 0.6


@case("balanced accuracy 0.75, 20 % positive, 100 rows", 4000)
def balanced_accuracy(rng: Rng) -> Sample:
    y, pred = labels(rng, 100)
    ev = evaluate_predictions(y, pred=pred, classes=[False, True], metrics="balanced_accuracy")
    return ev["balanced_accuracy"], 0.75


@case(
    "AUC 0.99, half positive, 30 rows: 43 % of samples rank perfectly",
    4000,
    "a safe answer where none is seen",
)
def auc_near_one(rng: Rng) -> Sample:
    y = rng.random(30) < 0.5
    s = rng.normal(size=30) + math.sqrt(2.0) * stats.norm.ppf(0.99) * y
    return evaluate_predictions(y, score=s, classes=[False, True], metrics="roc_auc")["roc_auc"], 0.99


@case("one-vs-rest AUC, three classes, 150 rows", 2000)
def auc_multiclass(rng: Rng) -> Sample:
    y, proba = three_classes(rng, 150)
    ev = evaluate_predictions(y, proba=proba, classes=[0, 1, 2], metrics="roc_auc")
    return ev["roc_auc"], three_class_auc()


def three_classes(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Three noisy scores, the one of the true class raised."""
    y = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    z = rng.normal(size=(n, 3))
    z[np.arange(n), y] += 1.5
    return y, special.softmax(z, axis=1)


@cache
def three_class_auc() -> float:
    """Its mean one-vs-rest area, from 400000 rows."""
    y, proba = three_classes(np.random.default_rng(9), 400_000)
    return float(np.mean([roc_auc_score(y == c, proba[:, c]) for c in range(3)]))


CONFUSION = np.array([[0.40, 0.06, 0.04], [0.05, 0.20, 0.05], [0.02, 0.04, 0.14]])


@case("macro-F1, three classes, 200 rows", 4000)
def f1_macro(rng: Rng) -> Sample:
    cell = rng.choice(9, size=200, p=CONFUSION.ravel())
    truth = float(np.mean(2 * np.diag(CONFUSION) / (CONFUSION.sum(0) + CONFUSION.sum(1))))
    return evaluate_predictions(cell // 3, pred=cell % 3, classes=[0, 1, 2], metrics="f1")["f1"], truth


def three(shares: tuple[float, ...], recalls: tuple[float, ...]) -> np.ndarray:
    """A confusion matrix of three classes, misses spread evenly over the other two."""
    table = np.zeros((3, 3))
    for c, (share, recall) in enumerate(zip(shares, recalls, strict=True)):
        table[c] = share * (1.0 - recall) / 2.0
        table[c, c] = share * recall
    return table


def macro_f1(confusion: np.ndarray, n: int, rng: Rng) -> Sample:
    cell = rng.choice(9, size=n, p=confusion.ravel())
    truth = float(np.mean(2 * np.diag(confusion) / (confusion.sum(0) + confusion.sum(1))))
    return evaluate_predictions(cell // 3, pred=cell % 3, classes=[0, 1, 2], metrics="f1")["f1"], truth


RARE, RARER = three((0.7, 0.2, 0.1), (0.9, 0.7, 0.05)), three((0.78, 0.16, 0.06), (0.95, 0.6, 0.2))


@case("macro-F1, a class of 10 % with recall 0.05, 250 rows", 4000, "no hit of the class in 3 samples of 10")
def f1_rare_class(rng: Rng) -> Sample:
    return macro_f1(RARE, 250, rng)


@case("macro-F1, a class of 6 % with recall 0.2, 250 rows", 4000)
def f1_rarer_class(rng: Rng) -> Sample:
    return macro_f1(RARER, 250, rng)


TAIL = "the interval says that 80 rows cannot show the tail"


@case("squared error, lognormal noise, 80 rows", 4000, TAIL)
def mse_lognormal(rng: Rng) -> Sample:
    y = np.exp(rng.normal(size=80)) - math.exp(0.5)
    return evaluate_predictions(y, pred=np.zeros(80), metrics="mse")["mse"], math.e * (math.e - 1.0)


@case("squared error, t3 noise, 1500 rows", 2000, "the interval says that the tail is long")
def mse_t3(rng: Rng) -> Sample:
    return evaluate_predictions(rng.standard_t(3, size=1500), pred=np.zeros(1500), metrics="mse")["mse"], 3.0


@case("absolute error, exponential noise, 80 rows", 4000)
def mae_exponential(rng: Rng) -> Sample:
    y = rng.exponential(size=80) - 1.0
    return evaluate_predictions(y, pred=np.zeros(80), metrics="mae")["mae"], 2.0 / math.e


def latent(rng: Rng, groups: int, size: int, share: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Standard normals with correlation `share` inside groups of `size`, and the group labels."""
    g = np.repeat(np.arange(groups), size)
    return math.sqrt(share) * rng.normal(size=groups)[g] + math.sqrt(1 - share) * rng.normal(size=g.size), g


@case("accuracy 0.9, 20 groups of 5", 4000)
def grouped_accuracy(rng: Rng) -> Sample:
    u, g = latent(rng, 20, 5)
    ev = evaluate_predictions(np.zeros(100, int), pred=u > stats.norm.ppf(0.9), classes=[0, 1], groups=g)
    return ev["accuracy"], 0.9


@case("log-loss, 30 groups of 5", 2000)
def grouped_log_loss(rng: Rng) -> Sample:
    u, g = latent(rng, 30, 5)
    t = 1.5 * u
    y = rng.random(150) < special.expit(t)
    ev = evaluate_predictions(y, proba=special.expit(1.5 * t), classes=[0, 1], groups=g, metrics="log_loss")
    return ev["log_loss"], OVERCONFIDENT


@case("squared error, 8 groups of 5", 4000, "the squared error of 8 groups is skewed")
def grouped_mse(rng: Rng) -> Sample:
    u, g = latent(rng, 8, 5)
    return evaluate_predictions(u, pred=np.zeros(40), groups=g, metrics="mse")["mse"], 1.0


@case("average precision 0.73, 40 groups of 5", 3000)
def grouped_average_precision(rng: Rng) -> Sample:
    u, g = latent(rng, 40, 5)
    y = rng.random(200) < 0.2
    ev = evaluate_predictions(
        y, score=u + SHIFT * y, classes=[False, True], groups=g, metrics="average_precision"
    )
    return ev["average_precision"], AP


@case("balanced accuracy 0.95, 15 groups of 5", 3000)
def grouped_balanced_accuracy(rng: Rng) -> Sample:
    u, g = latent(rng, 15, 5)
    y = rng.random(75) < 0.5
    pred = y ^ (u > stats.norm.ppf(0.95))
    ev = evaluate_predictions(y, pred=pred, classes=[False, True], groups=g, metrics="balanced_accuracy")
    return ev["balanced_accuracy"], 0.95


@case("AUC 0.9, 30 groups of 5", 4000)
def grouped_auc(rng: Rng) -> Sample:
    u, g = latent(rng, 30, 5)
    y = rng.random(150) < 0.5
    ev = evaluate_predictions(y, score=u + SHIFT * y, classes=[False, True], groups=g, metrics="roc_auc")
    return ev["roc_auc"], 0.9


@case("F1 = 0.8, 30 groups of 5", 4000)
def grouped_f1(rng: Rng) -> Sample:
    u, g = latent(rng, 30, 5)
    y = rng.random(150) < 0.5
    pred = y ^ (u > stats.norm.ppf(0.8))
    return evaluate_predictions(y, pred=pred, classes=[False, True], groups=g, metrics="f1")["f1"], 0.8


@case("R2 = 0.5, 30 groups of 5", 4000)
def grouped_r2(rng: Rng) -> Sample:
    x, g = latent(rng, 30, 5)
    noise, _ = latent(rng, 30, 5)
    return evaluate_predictions(x + noise, pred=x, groups=g, metrics="r2")["r2"], 0.5


@case("accuracy difference 0.05, 14 % discordant, 100 rows", 4000)
def paired_accuracy(rng: Rng) -> Sample:
    u = rng.random(100)
    return tango(float((u < 0.095).sum()), float((u > 0.955).sum()), 100), 0.05


@case("log-loss difference of two models, 100 rows", 4000, "one model is overconfident: skewed differences")
def paired_log_loss(rng: Rng) -> Sample:
    t = 1.5 * rng.normal(size=100)
    y = np.where(rng.random(100) < special.expit(t), 1.0, -1.0)
    a, b = -special.log_expit(y * t), -special.log_expit(1.5 * y * t)
    return paired_losses(a, b), CALIBRATED - OVERCONFIDENT
