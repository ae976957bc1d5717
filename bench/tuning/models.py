"""The two that are compared, as estimators that tune themselves when fitted, with the same number of fits."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import KFold, StratifiedKFold

import empirisk as er
from empirisk.selection import LogUniform

TRIALS, FOLDS = 50, 3
MOST, PATIENCE = 2_000, 30  # rounds of LightGBM, and rounds without a gain after which it stops
LIGHTGBM = {"half_squared": "regression", "poisson": "poisson"}

# What the 50 random trials of LightGBM draw from.
SPACE: dict[str, Any] = {
    "learning_rate": LogUniform(0.01, 0.3),
    "num_leaves": LogUniform(4, 128, integer=True),
    "min_child_samples": LogUniform(3, 100, integer=True),
    "reg_lambda": LogUniform(1e-3, 10.0),
    "subsample": LogUniform(0.5, 1.0),
    "colsample_bytree": LogUniform(0.3, 1.0),
}


class Ours(BaseEstimator):
    """Our boosting, tuned by :func:`empirisk.tune` with as many fits on a fold as 50 trials take."""

    def __init__(self, loss: str = "classes", metric: str = "log_loss") -> None:
        self.loss, self.metric = loss, metric

    def fit(self, X: Any, y: Any) -> Self:
        """Tune and fit on all of these rows."""
        classes = self.loss == "classes"
        model = er.GradientBoostingClassifier() if classes else er.GradientBoostingRegressor(self.loss)
        found = er.tune(model, X, y, budget=TRIALS * FOLDS, cv=FOLDS, metric=self.metric, progress=False)
        self.model_, self.found_ = found.model, found
        return self

    def predict(self, X: Any) -> Any:
        """Return the predictions of the model that was chosen."""
        return self.model_.predict(X)


class Light(BaseEstimator):
    """LightGBM with the best of 50 random settings, each with early stopping inside the folds."""

    def __init__(self, loss: str = "classes", metric: str = "log_loss") -> None:
        self.loss, self.metric = loss, metric

    def fit(self, X: Any, y: Any) -> Self:
        """Try the settings on the folds; fit the best, with the mean of its rounds, on all of these rows."""
        import lightgbm

        classes = self.loss == "classes"
        make = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        fixed = {
            "verbose": -1,
            "n_jobs": 1,
            "deterministic": True,
            "force_row_wise": True,
            "subsample_freq": 1,
        }
        fixed |= {} if classes else {"objective": LIGHTGBM[self.loss]}
        dealt = (StratifiedKFold if classes else KFold)(FOLDS, shuffle=True, random_state=0)
        folds, rng = list(dealt.split(X, y)), np.random.default_rng(0)
        best: tuple[float, dict[str, Any]] = (np.inf, {})
        for _ in range(TRIALS):
            drawn = {name: source.rvs(rng) for name, source in SPACE.items()}
            losses, rounds = [], []
            for train, test in folds:
                model = make(n_estimators=MOST, random_state=0, **fixed, **drawn)
                stop = lightgbm.early_stopping(PATIENCE, verbose=False)
                seen = (X.iloc[test], y[test])
                model.fit(X.iloc[train], y[train], eval_set=[seen], callbacks=[stop])
                losses.append(next(iter(model.best_score_["valid_0"].values())))
                rounds.append(model.best_iteration_)
            score = float(np.average(losses, weights=[len(test) for _, test in folds]))
            if score < best[0]:
                best = score, {**drawn, "n_estimators": max(1, round(float(np.mean(rounds))))}
        self.model_ = make(random_state=0, **fixed, **best[1]).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the predictions of the model that was chosen."""
        return self.model_.predict(X)


class _Classes(ClassifierMixin):
    """What tuned classifiers share: the probabilities of the model that was chosen."""

    model_: Any

    @property
    def classes_(self) -> Any:
        """The labels, in the order of the columns of the probabilities."""
        return self.model_.classes_

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the model that was chosen."""
        return self.model_.predict_proba(X)


class OursClasses(_Classes, Ours):
    """Our boosting of classes, tuned by :func:`empirisk.tune`."""


class OursNumbers(RegressorMixin, Ours):
    """Our boosting of numbers, tuned by :func:`empirisk.tune`."""


class LightClasses(_Classes, Light):
    """LightGBM of classes with the best of 50 random settings."""


class LightNumbers(RegressorMixin, Light):
    """LightGBM of numbers with the best of 50 random settings."""


def ours(loss: str, metric: str) -> Any:
    """Return our boosting that tunes itself when it is fitted."""
    return (OursClasses if loss == "classes" else OursNumbers)(loss, metric)


def light(loss: str, metric: str) -> Any:
    """Return LightGBM that tunes itself when it is fitted."""
    return (LightClasses if loss == "classes" else LightNumbers)(loss, metric)
