"""Rules with fixed thresholds, as a published checker (skore 0.28) defines them, for comparison.

They look at default metrics and take a majority vote: eight for two classes (accuracy, precision and recall
of each label, AUC, log loss, Brier score), four for numbers (R2, RMSE, MAE, MAPE).
"""

from __future__ import annotations

import numpy as np
from sklearn import metrics as m
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor

from empirisk.diagnosis import Context
from empirisk.evaluation.rows import take_rows

Scores = np.ndarray  # greater is better in every entry


def gap_rule(ctx: Context) -> bool:
    """SKD001: train better than test by max(0.03, 10 % of test), in more than half of the metrics."""
    train, test = fold_scores(ctx)
    train, test = train.mean(axis=0), test.mean(axis=0)
    return bool(np.mean(train - test >= np.maximum(0.03, 0.1 * np.abs(test))) > 0.5)


def near_dummy_rule(ctx: Context) -> bool:
    """SKD002: neither train nor test better than a dummy by max(0.01, 5 % of its score), same vote."""
    train, test = fold_scores(ctx)
    dummy = DummyRegressor() if ctx.classes is None else DummyClassifier(strategy="prior")
    base_train, base_test = fold_scores(ctx, dummy)
    close = [
        a.mean(axis=0) - b.mean(axis=0) < np.maximum(0.01, 0.05 * np.abs(b.mean(axis=0)))
        for a, b in ((train, base_train), (test, base_test))
    ]
    return bool(np.mean(close[0] & close[1]) > 0.5)


def outlying_fold_rule(ctx: Context) -> bool:
    """SKD003: a fold with 0.6745 |s - median| / MAD beyond 3, in more than half of the metrics."""
    _, test = fold_scores(ctx)
    off = np.abs(test - np.median(test, axis=0))
    mad = np.maximum(np.median(off, axis=0), 1e-12)
    return bool(np.mean((0.6745 * off / mad > 3.0).any(axis=0)) > 0.5)


def fold_scores(ctx: Context, est: object = None) -> tuple[Scores, Scores]:
    """Metrics of every fold on its training and on its test rows, shape (K, metrics); greater is better."""
    train_scores, test_scores = [], []
    for train, test in ctx.plan.splits:
        model = clone(ctx.est if est is None else est).fit(take_rows(ctx.X, train), ctx.y[train])
        for rows, out in ((train, train_scores), (test, test_scores)):
            out.append(_scores(ctx, model, rows))
    return np.array(train_scores), np.array(test_scores)


def _scores(ctx: Context, model: object, rows: np.ndarray) -> list[float]:
    X, y = take_rows(ctx.X, rows), ctx.y[rows]
    pred = model.predict(X)
    if ctx.classes is None:
        return [
            m.r2_score(y, pred),
            -m.root_mean_squared_error(y, pred),
            -m.mean_absolute_error(y, pred),
            -m.mean_absolute_percentage_error(y, pred),
        ]
    proba = model.predict_proba(X)
    labels = list(ctx.classes)
    each = m.precision_recall_fscore_support(y, pred, labels=labels, zero_division=0.0)
    out = [m.accuracy_score(y, pred), *each[0], *each[1], -m.log_loss(y, proba, labels=model.classes_)]
    if len(labels) == 2:
        both = np.unique(y).size == 2
        out += [
            m.roc_auc_score(y, proba[:, 1]) if both else 0.5,
            -float(np.mean((proba[:, 1] - (y == labels[1])) ** 2)),
        ]
    return out
