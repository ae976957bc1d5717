"""Random search: try settings drawn at random; few draws find a good one when few settings matter.

Bergstra and Bengio, Journal of Machine Learning Research 13 (2012).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from empirisk.data.seeds import generator_of
from empirisk.estimators.documented import documented
from empirisk.search.base import BaseSearch
from empirisk.search.grid_search import GridSearch
from empirisk.search.points import Params, draw_points


@documented(GridSearch)
class RandomSearch(BaseSearch):
    """Choose the settings of an estimator by cross-validation over random draws.

    With probability ``1 - (1 - q)^n_iter`` at least one draw is among the best share q of the distribution:
    59 draws are enough for q = 5 % with 95 %.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn-compatible classifier, regressor or pipeline.
    param_distributions : mapping or list of mappings
        Parameter names to lists, SciPy distributions (anything with ``rvs``), or
        :class:`empirisk.selection.LogUniform` ranges.
    n_iter : int, default 20
        Number of draws.
    metric, cv, repeats, rule, complexity, racing, refit, level, error_score, time_limit, checkpoint, n_jobs
        As in :class:`GridSearch`.
    progress : callable or bool, optional
        Called with (fits done, fits planned); True counts on the error stream.
    random_state : int, Generator, RandomState or None, default None
        Seed of draws, folds and bootstrap.

    Attributes
    ----------
    result_, best_estimator_, best_params_, best_index_, best_score_, naive_score_, cv_results_
        As in :class:`GridSearch`.

    References
    ----------
    Bergstra & Bengio 2012 (Journal of Machine Learning Research 13).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5)); y = X[:, 0] + rng.normal(size=100)
    >>> space = {"alpha": er.selection.LogUniform(1e-3, 1e2)}
    >>> search = er.selection.RandomSearch(er.Ridge(), space, n_iter=8, random_state=0).fit(X, y)
    >>> len(search.cv_results_["params"]), bool(1e-3 <= search.best_params_["alpha"] <= 1e2)
    (8, True)
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 20,
        metric: Any = None,
        cv: Any = None,
        repeats: int | None = None,
        rule: str = "min",
        complexity: Any = None,
        racing: float | None = None,
        refit: bool = True,
        level: float = 0.95,
        error_score: Any = np.nan,
        time_limit: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.metric = metric
        self.cv = cv
        self.repeats = repeats
        self.rule = rule
        self.complexity = complexity
        self.racing = racing
        self.refit = refit
        self.level = level
        self.error_score = error_score
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    def _points(self, rng: np.random.Generator) -> list[Params]:
        return draw_points(self.param_distributions, self.n_iter, rng)

    def _space(self) -> Any:
        return draw_points(self.param_distributions, self.n_iter, generator_of(self.random_state))
