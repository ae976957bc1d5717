"""Fixed rules about rows and columns, for comparison: shares, correlations and distances with a threshold."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from empirisk.diagnosis import Context
from empirisk.diagnosis.alone import Alone
from empirisk.diagnosis.columns import columns_of


def on_par_rule(ctx: Context) -> bool:
    """SKD011, on the explained share of the loss: one column alone within max(0.03, 10 %) of all together."""
    classes = 0 if ctx.classes is None else len(ctx.classes)
    alone = Alone(ctx.oof.y, np.arange(ctx.n), ctx.fold, classes, ctx.losses_of)
    best = min(float(alone.losses(c).mean()) for c in columns_of(ctx.X))
    full, one = (1.0 - risk / ctx.baseline_risk for risk in (float(ctx.losses.mean()), best))
    return bool(full - one < max(0.03, 0.1 * full))


def twin_rule(ctx: Context) -> bool:
    """Return whether any two rows are equal, targets included."""
    return len(np.unique(np.column_stack([ctx.X, ctx.y]), axis=0)) < ctx.n


def durbin_watson_rule(ctx: Context) -> bool:
    """Return whether the statistic of Durbin and Watson lies outside of 1.5 to 2.5."""
    told = ctx.output if ctx.classes is None else ctx.output @ np.arange(len(ctx.classes))
    e = ctx.oof.y - told
    return not 1.5 < float((np.diff(e) ** 2).sum() / (e**2).sum()) < 2.5


def domain_rule(ctx: Context) -> bool:
    """A logistic model on columns and squares tells test rows from training rows: AUC > 0.55."""

    def numbers(X: object) -> np.ndarray:
        return np.nan_to_num(np.column_stack([c for c in columns_of(X) if c.dtype.kind == "f"]))

    both = np.vstack([numbers(ctx.X), numbers(ctx.X_test)])
    side = np.arange(len(both)) >= ctx.n
    auc = cross_val_score(
        LogisticRegression(max_iter=200), np.hstack([both, both**2]), side, scoring="roc_auc"
    )
    return float(auc.mean()) > 0.55


def ece_rule(ctx: Context) -> bool:
    """Expected calibration error in ten equal bins above 0.05."""
    if ctx.classes is None:
        return False
    told, hit = ctx.output.max(axis=1), ctx.oof.y == ctx.output.argmax(axis=1)
    if len(ctx.classes) == 2:
        told, hit = ctx.output[:, 1], ctx.oof.y == 1
    gap = np.bincount(np.minimum((10 * told).astype(int), 9), weights=hit - told, minlength=10)
    return float(np.abs(gap).sum() / ctx.n) > 0.05


def majority_rule(ctx: Context) -> bool:
    """SKD004: a class with 80 % of the rows."""
    return bool(ctx.oof.class_counts.max() >= 0.8 * ctx.n)


def vif_rule(ctx: Context) -> bool:
    """Return whether a variance inflation factor is above 10."""
    return bool(np.diag(np.linalg.inv(np.corrcoef(ctx.X.T))).max() > 10.0)


def cook_rule(ctx: Context) -> bool:
    """Return whether a row has a Cook's distance above 4/n."""
    A = np.column_stack([np.ones(ctx.n), ctx.X])
    Q = np.linalg.qr(A)[0]
    h = (Q**2).sum(axis=1)
    e = ctx.y - Q @ (Q.T @ ctx.y)
    s2 = float(e @ e) / (ctx.n - A.shape[1])
    return bool((e**2 * h / (s2 * A.shape[1] * (1.0 - h) ** 2)).max() > 4.0 / ctx.n)
