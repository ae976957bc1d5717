"""Whether one column carries nearly all that the columns together can tell about the target."""

from __future__ import annotations

import numpy as np
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from empirisk.report.checks import Audited
from empirisk.report.encode import make_encoder, model_frame

__all__ = ["dominance_p_values"]

_KEEPS = 0.95
_MOST_ROWS = 5_000
_SAFETY = 1.25


def dominance_p_values(
    a: Audited, baseline: np.ndarray, alone: dict[str, np.ndarray], folds: np.ndarray
) -> dict[str, float]:
    """p-values of "this column keeps at most 95 % of what all columns explain", Bonferroni over all features.

    Row i counts ``c_i = l_j(i) - l(i) - 0.05 (l_0(i) - l(i))`` with the out-of-fold losses of the column
    alone, of gradient-boosted trees on all columns, and of the baseline; the column dominates when the mean
    is below 0 (one paired t-test, standard error 1.25 x sd/sqrt n).

    Parameters
    ----------
    a : Audited
    baseline : array of shape (n_train,)
        Losses of the baseline.
    alone : dict of arrays of shape (n_train,)
        Losses of the columns in question.
    folds : int array of shape (n_train,)
    """
    rng = np.random.default_rng(a.seed)
    n = len(folds)
    rows = np.sort(rng.permutation(n)[:_MOST_ROWS])
    # Thousands of rows are too few for threads: waiting for each other costs them more than they gain.
    with threadpool_limits(1):
        full = _full_losses(a, rows, folds[rows])
    out = {}
    for name, losses in alone.items():
        c = losses[rows] - full - (1.0 - _KEEPS) * (baseline[rows] - full)
        se = _SAFETY * float(c.std(ddof=1)) / np.sqrt(len(c))
        p = float(stats.t.cdf(c.mean() / se, len(c) - 1)) if se > 0.0 else float(c.mean() >= 0.0)
        out[name] = min(1.0, len(a.table.features) * p)
    return out


def _full_losses(a: Audited, rows: np.ndarray, folds: np.ndarray) -> np.ndarray:
    frame, y = model_frame(a.table, a.split.train[rows]), a.target[rows]
    losses = np.empty(len(rows))
    regression = a.table.task == "regression"
    for fold in np.unique(folds):
        inside, outside = folds != fold, folds == fold
        encoder = make_encoder(a.table, scale=False)
        x_in = encoder.fit_transform(frame.filter(inside))
        x_out = encoder.transform(frame.filter(outside))
        if regression:
            boosted = HistGradientBoostingRegressor(max_iter=100, random_state=0).fit(x_in, y[inside])
            losses[outside] = (y[outside] - boosted.predict(x_out)) ** 2
            continue
        model = HistGradientBoostingClassifier(max_iter=100, random_state=0).fit(x_in, y[inside])
        shares = np.full((len(x_out), len(a.table.classes)), 1e-12)
        shares[:, model.classes_] = np.clip(model.predict_proba(x_out), 1e-12, None)
        losses[outside] = -np.log(shares[np.arange(len(x_out)), y[outside]])
    return losses
