"""Tables: real ones of the other study of boosting, and two simulated ones with known functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from bench.accuracy.data import adult, affairs, party, shipped, visits, wine

MOST = 3_000  # rows of a table; more are drawn


@dataclass(frozen=True)
class Table:
    """A table with a loss to fit and a metric to judge by.

    Parameters
    ----------
    what : str
        For the page.
    whole : callable
        Gives X (a frame) and y.
    loss : str
        "classes", or a loss of the regressor.
    metric : str
        A name of `empirisk.selection.METRICS`.
    """

    what: str
    whole: Callable[[], tuple[pd.DataFrame, Any]]
    loss: str
    metric: str

    def load(self) -> tuple[pd.DataFrame, Any]:
        """Return the table, with at most :data:`MOST` rows, drawn with a fixed seed."""
        X, y = self.whole()
        if len(y) <= MOST:
            return X, y
        drawn = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST])
        return X.iloc[drawn].reset_index(drop=True), y[drawn]


def friedman() -> tuple[pd.DataFrame, Any]:
    """Return 2,000 rows of a smooth function of five of ten columns, and noise (Friedman 1991)."""
    X, y = datasets.make_friedman1(2_000, noise=1.0, random_state=0)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), y


def sphere() -> tuple[pd.DataFrame, Any]:
    """Return 4,000 rows inside or outside of a sphere in ten columns (Hastie et al. 2009, 10.2)."""
    X, y = datasets.make_hastie_10_2(4_000, random_state=0)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), (y > 0.0).astype(int)


TABLES: dict[str, Table] = {
    "adult": Table("Adult: income (8 columns of categories, missing values)", adult, "classes", "log_loss"),
    "affairs": Table("Fair: affairs (2 columns of categories)", affairs, "classes", "log_loss"),
    "cancer": Table("Breast cancer", lambda: shipped("breast_cancer"), "classes", "log_loss"),
    "digits": Table("Digits, 10 classes", lambda: shipped("digits"), "classes", "log_loss"),
    "party": Table("ANES 1996: party, 7 classes", party, "classes", "log_loss"),
    "sphere": Table("Sphere in ten columns (simulated)", sphere, "classes", "log_loss"),
    "diabetes": Table("Diabetes", lambda: shipped("diabetes"), "half_squared", "mse"),
    "wine": Table("Red wine: quality", wine, "half_squared", "mse"),
    "friedman": Table("Friedman's function (simulated)", friedman, "half_squared", "mse"),
    "visits": Table("RAND: visits to a doctor, Poisson loss", visits, "poisson", "poisson_deviance"),
}  # fmt: skip
