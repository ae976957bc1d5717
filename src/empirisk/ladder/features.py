"""The part of a pipeline that does not depend on the rows, and the affine part that does."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.sparse_cells import canonical
from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.column_blocks import split_columns

__all__ = ["FeatureMap", "feature_map"]

# Transformers that learn nothing but the names and the number of columns from the rows.
DATA_FREE = frozenset(
    {"PolynomialFeatures", "FunctionTransformer", "Normalizer", "Binarizer", "HashingVectorizer"}
)

# Fitted on the rows, but affine: a linear model after them is a linear model of what went in.
AFFINE = frozenset(
    {
        "StandardScaler",
        "RobustScaler",
        "MaxAbsScaler",
        "MinMaxScaler",
        "PCA",
        "TruncatedSVD",
        "VarianceThreshold",
        "SelectKBest",
        "SelectPercentile",
        "SelectFromModel",
        "SelectFpr",
        "SelectFdr",
        "SelectFwe",
        "RFE",
        "RFECV",
        "SequentialFeatureSelector",
    }
)

LARGEST_WIDTH = 4000  # of the matrix that represents the affine steps


@dataclass(frozen=True)
class FeatureMap:
    """Features that a model's class is about.

    Parameters
    ----------
    table : table or None
        The rows after the steps that do not depend on the rows, as the next step gets them.
    Z : array, sparse matrix or None
        The same as numbers; None when they are no finite numeric matrix.
    affine : list of fitted transformers
        Steps after that, fitted on the rows.
    problem : str
        Why the features depend on the rows in another than an affine way; empty when they do not.
    """

    table: Any
    Z: Any
    affine: tuple[Any, ...] = ()
    problem: str = ""

    @property
    def fixed(self) -> str:
        """Why the features were not fixed before the rows were seen; empty when they were."""
        if self.problem:
            return self.problem
        if self.affine:
            names = ", ".join(getattr(t, "names", type(t).__name__) for t in self.affine)
            return f"{names} was fitted on these rows, so that every row moves the features of all"
        return ""

    def matrix(self) -> tuple[Floats, Floats]:
        """Return ``A, c`` with ``affine(z) = z A + c``: the steps after the fixed map as one affine map."""
        width = self.Z.shape[1]
        if not self.affine:
            return np.eye(width), np.zeros(width)
        probe = np.vstack([np.zeros(width), np.eye(width)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the probes have no column names
            for step in self.affine:
                moved: Any = step.transform(probe)
                probe = np.asarray(moved.toarray() if hasattr(moved, "toarray") else moved, dtype=np.float64)
        return probe[1:] - probe[0], probe[0]


def feature_map(est: Any, X: Any) -> FeatureMap:
    """Split the steps before the model into what is fixed, what is affine, and what is neither."""
    named = (getattr(est, "steps", None) or [("", est)])[:-1]
    steps = [s for _, s in named if s not in (None, "passthrough")]
    cut = len(steps)
    while cut and _affine(steps[cut - 1]):
        cut -= 1
    affine = tuple(steps[cut:])
    by_columns = bool(cut) and type(steps[cut - 1]).__name__ == "ColumnTransformer"
    Z = X
    for step in steps[: cut - by_columns]:
        if why := _fixed(step):
            return FeatureMap(None, None, problem=why)
        Z = step.transform(Z)
    if by_columns:
        split = split_columns(steps[cut - 1], Z, _affine, _fixed)
        if isinstance(split, str):
            return FeatureMap(None, None, problem=split)
        Z, blocks = split
        affine = (blocks, *affine) if blocks.names else affine
    return FeatureMap(Z, _numeric(Z), affine)


def _fixed(step: Any) -> str:
    """Return why a fitted step depends on the rows (in another than an affine way); empty when it does
    not.
    """
    name = type(step).__name__
    if name in DATA_FREE:
        return ""
    if name in ("OneHotEncoder", "OrdinalEncoder"):
        found = isinstance(step.categories, str)
        return (
            f"{name} found its categories in these rows: give categories= as known before them"
            if found
            else ""
        )
    return f"{name} was fitted on these rows: the class of models depends on them"


def _affine(step: Any) -> bool:
    clipped = getattr(step, "clip", False)
    whitened = type(step).__name__ == "PCA" and hasattr(step, "n_features_in_")
    return type(step).__name__ in AFFINE and not clipped and (whitened or hasattr(step, "transform"))


def _numeric(Z: Any) -> Any:
    """Return a float matrix, sparse as it came; None for text and other tables that are no matrix of
    numbers.
    """
    if hasattr(Z, "tocsr"):
        return canonical(Z).tocsr()
    try:
        out = np.asarray(Z, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return out if out.ndim == 2 and np.isfinite(out).all() else None
