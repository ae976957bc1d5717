"""Fit many training sets, and decompose the loss of their predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from empirisk.data.frames import like_input
from empirisk.data.progress import Progress, teller
from empirisk.data.seeds import Seed, generator_of
from empirisk.evaluation.candidate import Candidate
from empirisk.evaluation.fit_folds import one_thread_if_small
from empirisk.evaluation.metrics.predictions import encode, finite, labels_of
from empirisk.evaluation.outputs import model_name
from empirisk.evaluation.parts import each_value
from empirisk.evaluation.sample import Sample
from empirisk.resampling.decomposition.monte_carlo import estimate_parts
from empirisk.resampling.decomposition.parts import Sets
from empirisk.resampling.decomposition.result import BiasVariance, BiasVarianceCurve
from empirisk.resampling.decomposition.sources import Bootstrap, Generated, Generator
from empirisk.results.estimate import check_level

__all__ = ["bias_variance"]

MOST_CELLS = 200_000_000  # predictions that are kept: 1.6 GB


@overload
def bias_variance(
    est: Any,
    X: Any = ...,
    y: ArrayLike | None = ...,
    *,
    generator: Generator | None = ...,
    n_train: int | None = ...,
    n_test: int = ...,
    n_sets: int = ...,
    groups: ArrayLike | None = ...,
    param: None = ...,
    values: None = ...,
    level: float = ...,
    random_state: Seed = ...,
    progress: Progress | None = ...,
) -> BiasVariance: ...
@overload
def bias_variance(
    est: Any,
    X: Any = ...,
    y: ArrayLike | None = ...,
    *,
    generator: Generator | None = ...,
    n_train: int | None = ...,
    n_test: int = ...,
    n_sets: int = ...,
    groups: ArrayLike | None = ...,
    param: str,
    values: Sequence[Any],
    level: float = ...,
    random_state: Seed = ...,
    progress: Progress | None = ...,
) -> BiasVarianceCurve: ...
@like_input
def bias_variance(
    est: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    generator: Generator | None = None,
    n_train: int | None = None,
    n_test: int = 1000,
    n_sets: int = 100,
    groups: ArrayLike | None = None,
    param: str | None = None,
    values: Sequence[Any] | None = None,
    level: float = 0.95,
    random_state: Seed = None,
    progress: Progress | None = None,
) -> BiasVariance | BiasVarianceCurve:
    """Noise, bias and variance of an algorithm: they add up to its expected loss exactly.

    Regressors: ``E (y - f)^2 = noise + bias^2 + variance``. Classifiers: the 0-1 loss in the parts of
    Domingos (2000, AAAI). With a generator, over new training sets; with a table, over bootstrap samples of
    its rows, each scored on the rows it leaves out.

    Parameters
    ----------
    est : estimator
        Scikit-learn-compatible classifier, regressor or pipeline.
    X : array, sparse matrix or data frame of shape (n, p), optional
        Rows; either these or `generator`.
    y : array of shape (n,), optional
        Targets.
    generator : callable, optional
        ``generator(rng, n)`` draws n new rows and returns ``(X, y)``, or ``(X, y, mean)`` with the mean of y
        given x (the probability of the second class; with more classes (n, C) probabilities). Only with the
        mean can noise and bias be told apart.
    n_train : int, optional
        Rows of each new training set; required with `generator`.
    n_test : int, default 1000
        Rows of the one test set that `generator` draws.
    n_sets : int, default 100
        Training sets; at least 20 for intervals.
    groups : array of shape (n,), optional
        Which rows of a table belong together; whole groups are drawn then.
    param, values : str and sequence, optional
        A parameter, as in ``set_params``, and values to decompose at, on the same training sets.
    level : float in (0, 1), default 0.95
        Nominal coverage.
    random_state : int, Generator, RandomState or None
        Seed.
    progress : callable or bool, optional
        Called with (training sets done, all); True counts on the error stream.

    Returns
    -------
    BiasVariance or BiasVarianceCurve
        The latter when `param` is given.

    Raises
    ------
    ValueError
        Neither or both of a table and a generator; a generator that returns wrong shapes; one class only.

    Notes
    -----
    The parts of the squared loss are unbiased for any number of training sets (so a small squared bias may
    come out below zero); the bias of the 0-1 loss depends on which class is predicted most often, and near
    ties needs many sets. A bootstrap sample holds 63 % of the distinct rows, and its variance is that over
    bootstrap samples: an approximation of the variance over new samples, good for stable algorithms.
    Cost: ``n_sets`` fits a value.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> def generator(rng, n):
    ...     X = rng.normal(size=(n, 3))
    ...     mean = X @ [1.0, 1.0, 1.0]
    ...     return X, mean + rng.normal(size=n), mean
    >>> parts = bias_variance(er.LinearRegression(), generator=generator, n_train=30, random_state=0)
    >>> abs(sum(e.value for e in parts.parts.values()) - parts.total.value) < 1e-12
    True
    >>> parts.parts["noise"].low < 1.0 < parts.parts["noise"].high
    True
    """
    check_level(level)
    rng = generator_of(random_state)
    if not (isinstance(n_sets, int | np.integer) and n_sets >= 2):
        raise ValueError(f"n_sets must be a whole number from 2 on, got {n_sets!r}.")
    if (param is None) != (values is None):
        raise ValueError("param and values go together: a parameter and what to set it to.")
    tried = [None] if param is None else list(Candidate(est, param, values or ()).values)
    source = _source(est, X, y, generator, n_train, n_test, groups, rng)
    cells = len(tried) * n_sets * source.y.size
    if cells > MOST_CELLS:
        raise ValueError(
            f"{cells:.3g} predictions would be held: {len(tried)} values x {n_sets} sets x {source.y.size} "
            "rows; take fewer of them."
        )
    pred, seen = _predict(est, source, param, tried, int(n_sets), rng, progress)
    words = source.words.format(n=source.n_train)
    count = 0 if source.classes is None else int(source.classes.size)
    found = []
    for table in pred:
        sets = Sets(table, seen, source.y, source.truth, count)
        parts = estimate_parts(sets, level, source.groups, words)
        total = parts.pop("total")
        found.append(BiasVariance(parts, total, "0-1" if count else "squared", model_name(est), words))
    return found[0] if param is None else BiasVarianceCurve(param, tuple(tried), tuple(found))


def _source(
    est: Any,
    X: Any,
    y: ArrayLike | None,
    generator: Generator | None,
    n_train: int | None,
    n_test: int,
    groups: ArrayLike | None,
    rng: np.random.Generator,
) -> Generated | Bootstrap:
    if (generator is None) == (X is None):
        raise ValueError("give either a table (X, y) or a generator of new rows.")
    if generator is None:
        if y is None:
            raise ValueError("y is missing: the targets of the rows of X.")
        if n_train is not None:
            raise ValueError("n_train goes with generator; bootstrap samples have as many rows as X.")
        return Bootstrap(Sample.of(est, X, y, groups))
    if y is not None or groups is not None:
        raise ValueError("y and groups go with X; the generator brings its own targets.")
    if not callable(generator):
        raise TypeError(f"generator must be a function generator(rng, n), got {type(generator).__name__}.")
    for name, number in (("n_train", n_train), ("n_test", n_test)):
        if not (isinstance(number, int | np.integer) and number >= 2):
            raise ValueError(f"{name} must be a whole number of rows from 2 on, got {number!r}.")
    return Generated(generator, int(n_train or 0), n_test, is_classifier(est), rng)


def _predict(
    est: Any,
    source: Generated | Bootstrap,
    param: str | None,
    values: list[Any],
    n_sets: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the predictions (values, R, T) and which of them count (R, T)."""
    pred = np.empty((len(values), n_sets, source.y.size))
    seen, tell = np.empty((n_sets, source.y.size), dtype=bool), teller(progress)
    with one_thread_if_small(source.X):
        for r, (X, y, counts) in enumerate(source.sets(n_sets, rng)):
            seen[r] = counts
            for v, model in enumerate(each_value(est, X, y, param or "", values)):
                said = labels_of(model.predict(source.X), "predictions")
                if source.classes is None:
                    pred[v, r] = finite(said, "predictions")
                else:
                    pred[v, r] = encode(said, source.classes)
            tell(r + 1, n_sets)
    return pred, seen
