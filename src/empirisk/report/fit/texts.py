"""From a column of free text to numbers: words and pairs of words, hashed, and what of them a model gets.

Every word and every pair of neighbouring words falls into one of a fixed number of buckets (feature hashing:
Weinberger, Dasgupta, Langford, Smola and Attenberg, ICML 2009), by scikit-learn's ``HashingVectorizer``. The
counts are weighted by how rare a bucket is (tf-idf). So wide a matrix suits few models, so that each gets
some dozens of columns of it: its leading principal components, and the buckets that go with the target.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

from empirisk.estimators.features.base import FewerComponentsWarning
from empirisk.estimators.features.pca import PCA
from empirisk.report.read.words import TOKEN, spelled

__all__ = ["BUCKETS", "COMPONENTS", "WORDS", "TextColumn"]

Floats = NDArray[np.float64]
BUCKETS = 2**14
COMPONENTS, WORDS = 24, 64  # columns of each kind at most
ROWS_EACH = 30  # rows for a component at least
FEWEST = 5  # rows that hold a bucket; one that fewer hold says nothing, and could point at a person
WIDEST = 1_000  # buckets behind the components, the most frequent ones: the matrix of their products is small
FALSE = 0.05  # expected share of buckets that are kept for nothing (Benjamini and Hochberg 1995)


class TextColumn(TransformerMixin, BaseEstimator):
    """A column of texts as numbers: a mark of empty texts, principal components, and buckets of words.

    ``a_ij = (1 + log c_ij) (1 + log((1 + n) / (1 + n_j)))`` is the weight of bucket j in text i, which holds
    it c_ij times, n_j of n texts holding it; each row is divided by its length. Buckets in fewer than five
    texts are left out. One component is taken for every 30 rows, at most `components`; a bucket is kept
    where its variance goes with the target: ranked by the F statistic of analysis of variance (of a line for
    numbers), as many as keep the expected share of false ones below 5 %, at most `words`.

    Parameters
    ----------
    components : int, default 24
        Principal components at most.
    words : int, default 64
        Single buckets at most; without targets there are none.

    Notes
    -----
    The components keep their relative sizes, the first having the standard deviation 1; buckets are divided
    by the mean of their values above 0, so that they are near 0/1 as the columns of levels are. Cost:
    O(number of words) a pass, and O(1000^3) once for the components.

    Examples
    --------
    >>> texts = ["good soup", "bad soup", "good bread", "bad bread"] * 20
    >>> column = TextColumn().fit(texts, np.array([1, 0, 1, 0] * 20))
    >>> column.transform(["good cake", ""]).shape[0], len(column.words_)
    (2, 6)
    """

    def __init__(self, components: int = COMPONENTS, words: int = WORDS) -> None:
        self.components = components
        self.words = words

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the buckets, their weights and the components.

        Parameters
        ----------
        X : sequence of str, shape (n,)
            Texts; "" where there is none.
        y : array of shape (n,), optional
            Whole numbers are classes, others numbers.
        """
        counts = _hashed(X)
        n = counts.shape[0]
        held = np.bincount(counts.indices, minlength=BUCKETS)
        self.kept_ = np.flatnonzero((held >= FEWEST) & (held < n))
        self.blank_ = bool(_blank(counts).any())
        self.tfidf_ = TfidfTransformer(sublinear_tf=True)
        self.words_ = np.zeros(0, dtype=np.intp)
        self.common_ = self.words_
        self.axes_: Floats = np.zeros((0, 0))
        self.mean_: Floats = np.zeros(0)
        self.unit_ = self.size_ = 1.0
        if self.kept_.size:
            self._find(counts, held, y)
        if not len(self.axes_) and not self.words_.size:
            self.blank_ = True  # a model needs a column, and this one is there for any text
        return self

    def _find(self, counts: sp.csr_matrix, held: NDArray[np.intp], y: Any) -> None:
        """Set the components, and the buckets that go with the targets."""
        n = counts.shape[0]
        A = sp.csc_matrix(self.tfidf_.fit_transform(counts[:, self.kept_]))
        order = np.argsort(-held[self.kept_], kind="stable")[:WIDEST]
        self.common_ = np.sort(order)
        k = min(self.components, n // ROWS_EACH, len(self.common_))
        part = sp.csr_matrix(A[:, self.common_])
        if k and _varies(part):
            with warnings.catch_warnings():
                # Few different texts have fewer components than are asked for, which is no mistake.
                warnings.simplefilter("ignore", FewerComponentsWarning)
                found = PCA(min(k, n - 1), random_state=0).fit(part)
            self.axes_ = np.asarray(found.components_, dtype=np.float64)
            self.mean_ = np.asarray(found.mean_, dtype=np.float64)
            self.unit_ = float(np.sqrt(found.explained_variance_[0])) or 1.0
        if y is not None:
            self.words_ = _telling(A, np.asarray(y), self.words)
            self.size_ = float(A.data.mean()) or 1.0

    def transform(self, X: Any) -> Floats:
        """Return the columns of texts, shape (n, number of columns)."""
        counts = _hashed(X)
        out = [_blank(counts)[:, None].astype(np.float64)] if self.blank_ else []
        if self.kept_.size:
            A = self.tfidf_.transform(counts[:, self.kept_])
            if len(self.axes_):
                out.append((A[:, self.common_] @ self.axes_.T - self.mean_ @ self.axes_.T) / self.unit_)
            if self.words_.size:
                out.append(A[:, self.words_].toarray() / self.size_)
        return np.hstack(out) if out else np.zeros((counts.shape[0], 0))

    @property
    def labels(self) -> list[str]:
        """What the columns are, in words; no word of the texts is among them."""
        out = ["empty"] if self.blank_ else []
        out += [f"component {j + 1}" for j in range(len(self.axes_))]
        return [*out, *(f"words of bucket {self.kept_[j]:,}" for j in self.words_)]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns as scikit-learn asks for them."""
        return np.array([label.replace(" ", "_").replace(",", "") for label in self.labels], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there are buckets, which the fit finds."""
        return hasattr(self, "kept_")


def _hashed(texts: Any) -> sp.csr_matrix:
    """Return how often each bucket occurs in each text, in one spelling of letters and in lower case."""
    hashing = HashingVectorizer(
        n_features=BUCKETS,
        ngram_range=(1, 2),
        alternate_sign=False,
        norm=None,
        lowercase=False,
        token_pattern=TOKEN,
    )
    return sp.csr_matrix(hashing.transform(spelled(texts)))


def _blank(counts: sp.csr_matrix) -> NDArray[np.bool_]:
    """Return which texts hold no word."""
    return np.asarray(np.diff(counts.indptr) == 0)


def _varies(A: sp.csr_matrix) -> bool:
    """Return whether any column of a matrix has a variance above rounding."""
    mean = np.asarray(A.mean(axis=0)).ravel()
    square = np.asarray(A.multiply(A).mean(axis=0)).ravel()
    return bool((square - mean**2 > 1e-12).any())


def _telling(A: sp.csc_matrix, y: NDArray[Any], most: int) -> NDArray[np.intp]:
    """Return the columns whose values go with the targets, the surest first.

    With the columns ``a`` and classes k, ``F = (between / (K - 1)) / (within / (n - K))``; of numbers,
    ``between`` is the square that a line explains, and K is 2.
    """
    n = A.shape[0]
    mean = np.asarray(A.mean(axis=0)).ravel()
    total = np.asarray(A.multiply(A).sum(axis=0)).ravel() - n * mean**2
    if y.dtype.kind == "f":
        centred = y - y.mean()
        spread, groups = float(centred @ centred), 2
        between = (A.T @ centred) ** 2 / spread if spread > 0.0 else np.zeros(len(mean))
    else:
        codes = np.unique(y, return_inverse=True)[1]
        groups = int(codes.max()) + 1
        rows = np.bincount(codes)
        sums = A.T @ sp.csr_matrix((np.ones(n), (np.arange(n), codes)), shape=(n, groups))
        between = np.asarray(sums.power(2) @ (1.0 / rows)).ravel() - n * mean**2
    if groups < 2 or n <= groups:
        return np.zeros(0, dtype=np.intp)
    within = np.maximum(total - between, 1e-12 * np.maximum(total, 1e-300))
    p = stats.f.sf(between / (groups - 1) / (within / (n - groups)), groups - 1, n - groups)
    order = np.argsort(p, kind="stable")
    passed = np.flatnonzero(p[order] <= FALSE * np.arange(1, len(p) + 1) / len(p))
    return np.asarray(order[: min(most, passed[-1] + 1 if passed.size else 0)], dtype=np.intp)
