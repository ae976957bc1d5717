"""Whether one column carries nearly all that the columns together can tell about the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from empirisk.diagnosis.alone import dominance_p, squared_or_log_loss
from empirisk.report.audit.checks import Audited
from empirisk.report.audit.single_column import Screen
from empirisk.report.fit.encode import make_encoder, model_frame

__all__ = ["dominance_p_values"]


def dominance_p_values(a: Audited, screen: Screen, alone: dict[str, np.ndarray]) -> dict[str, float]:
    """p-values of "this column keeps at most 95 % of what all columns explain", Bonferroni over all features.

    The test is :func:`empirisk.diagnosis.alone.dominance_p`, against the better of a linear model and
    gradient-boosted trees on all columns.

    Parameters
    ----------
    a : Audited
    screen : Screen
        Rows and folds.
    alone : dict of arrays of shape (n_rows,)
        Losses of the columns in question on these rows.
    """
    # Thousands of rows are too few for threads: waiting for each other costs them more than they gain.
    with threadpool_limits(1):
        full = _full_losses(a, screen)
    baseline, n = screen.baseline(), len(screen.rows)
    out = {}
    for name, losses in alone.items():
        p = dominance_p(losses, full, baseline, screen.standard_error, n)
        out[name] = min(1.0, len(a.table.features) * p)
    return out


def _full_losses(a: Audited, screen: Screen) -> np.ndarray:
    """Return the losses of all columns together: of the better of a linear model and boosted trees, fold by
    fold out of sample.
    """
    losses = np.empty((2, len(screen.rows)))
    frame = model_frame(a.table, a.split.train[screen.rows])
    regression = screen.n_classes == 0
    for fold in np.unique(screen.folds):
        inside, outside = screen.folds != fold, screen.folds == fold
        encoder = make_encoder(a.table)
        y = screen.target[inside]
        x_in = encoder.fit_transform(frame.filter(inside), y)
        x_out = encoder.transform(frame.filter(outside))
        models = (
            (Ridge(), HistGradientBoostingRegressor(random_state=0))
            if regression
            else (LogisticRegression(max_iter=200), HistGradientBoostingClassifier(random_state=0))
        )
        for row, model in zip(losses, models, strict=True):
            row[outside] = _losses(model.fit(x_in, y), x_out, screen.target[outside], regression)
    return np.asarray(losses[np.argmin(losses.mean(axis=1))])


def _losses(model: Any, x: np.ndarray, y: np.ndarray, regression: bool) -> np.ndarray:
    if regression:
        return squared_or_log_loss(y, np.asarray(model.predict(x)))
    # A class that the fold lacks has probability 0, which no finite loss can show: 1e-12 stands for it.
    shares = np.full((len(x), int(max(y.max(), model.classes_.max())) + 1), 1e-12)
    shares[:, model.classes_] = np.clip(model.predict_proba(x), 1e-12, None)
    return squared_or_log_loss(y, shares)
