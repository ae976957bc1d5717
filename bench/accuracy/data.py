"""Real tables that come with this repository, with scikit-learn or with statsmodels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn import datasets
from statsmodels import api as sm

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "data"


@dataclass(frozen=True)
class Task:
    """A table with a loss to fit and a metric to judge by.

    Parameters
    ----------
    what : str
        For the page.
    load : callable
        Gives X (a frame) and y.
    loss : str
        "classes", or a loss of the regressor.
    metric : str
        A name of `empirisk.selection.METRICS`.
    repeats : int
        Repeats of five folds.
    """

    what: str
    load: Callable[[], tuple[pd.DataFrame, Any]]
    loss: str
    metric: str
    repeats: int = 2


def adult() -> tuple[pd.DataFrame, Any]:
    """Eight columns of categories, up to 42 of them; missing values."""
    frame = pd.read_csv(EXAMPLES / "adult.csv.gz", na_values="?")
    y = (frame.pop("income") == ">50K").to_numpy().astype(int)
    for name in frame.select_dtypes(exclude="number"):
        frame[name] = frame[name].astype("category")
    return frame, y


def wine() -> tuple[pd.DataFrame, Any]:
    """Return the measurements and the scores of 1599 red wines."""
    frame = pd.read_csv(EXAMPLES / "winequality-red.csv", sep=";")
    return frame, frame.pop("quality").to_numpy().astype(float)


def shipped(name: str) -> tuple[pd.DataFrame, Any]:
    """Return a table that scikit-learn ships, by the name of its loader."""
    found = getattr(datasets, f"load_{name}")(as_frame=True)
    return found.data, found.target.to_numpy()


def visits() -> tuple[pd.DataFrame, Any]:
    """Counts of visits to a doctor (RAND health insurance experiment)."""
    frame = sm.datasets.randhie.load_pandas().data
    return frame, frame.pop("mdvis").to_numpy().astype(float)


def affairs() -> tuple[pd.DataFrame, Any]:
    """Whether a woman reports an affair (Fair 1978); occupations are categories."""
    frame = sm.datasets.fair.load_pandas().data
    y = (frame.pop("affairs") > 0.0).to_numpy().astype(int)
    for name in ("occupation", "occupation_husb"):
        frame[name] = frame[name].astype(int).astype("category")
    return frame, y


def party() -> tuple[pd.DataFrame, Any]:
    """Identification with a party, seven classes (American National Election Study 1996)."""
    frame = sm.datasets.anes96.load_pandas().data
    y = frame.pop("PID").to_numpy().astype(int)
    return frame.drop(columns=["popul"]), y  # logpopul says the same


TASKS: dict[str, Task] = {
    "adult": Task("Adult: income (8 columns of categories, missing values)", adult, "classes", "log_loss"),
    "affairs": Task("Fair: affairs (2 columns of categories)", affairs, "classes", "log_loss"),
    "cancer": Task("Breast cancer", lambda: shipped("breast_cancer"), "classes", "log_loss", 5),
    "digits": Task("Digits, 10 classes", lambda: shipped("digits"), "classes", "log_loss"),
    "party": Task("ANES 1996: party, 7 classes", party, "classes", "log_loss", 5),
    "diabetes": Task("Diabetes", lambda: shipped("diabetes"), "half_squared", "mse", 5),
    "wine": Task("Red wine: quality", wine, "half_squared", "mse"),
    "wine-median": Task("Red wine: quality, absolute loss", wine, "absolute", "mae"),
    "visits": Task("RAND: visits to a doctor, Poisson loss", visits, "poisson", "poisson_deviance"),
}  # fmt: skip
