"""Counts of words in documents whose words have frequencies as Zipf's law says."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

TOPICS = 20


def documents(n: int, p: int, words: int = 100, dtype: Any = np.float64) -> tuple[sp.csr_array, np.ndarray]:
    """Return a CSR array of counts, about `words` a row, and the topic of each row.

    The word of rank r has a frequency of about 1/r; a third of the words of a topic come from ranks that it
    has in an order of its own.
    """
    rng = np.random.default_rng(9)
    topic = rng.integers(TOPICS, size=n)
    row = np.repeat(np.arange(n), rng.poisson(words, size=n))
    # Inverse of the distribution function of a density of 1/r on (1, p + 1).
    rank = np.floor(np.exp(rng.random(len(row)) * np.log(p + 1.0))).astype(np.int64) - 1
    own = (rank * 7 + topic[row] * (p // TOPICS)) % p
    column = np.where(rng.random(len(row)) < 1.0 / 3.0, own, rank)
    X = sp.csr_array(sp.coo_array((np.ones(len(row), dtype=dtype), (row, column)), shape=(n, p)))
    X.sum_duplicates()
    return X, topic
