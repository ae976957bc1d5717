"""One candidate on the rows of one fold: the encoding that suits it, and its fits along its parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.candidates import Candidate, alpha_grid
from empirisk.report.fit.encode import Origin, feature_origin
from empirisk.report.fit.folds import Fold
from empirisk.report.fit.grown import fit_grown, grown_grid
from empirisk.report.fit.native import level_columns, native_origin
from empirisk.report.fit.path import fit_path
from empirisk.report.fit.sample import Sample

__all__ = [
    "Encoded",
    "FittedPath",
    "Maker",
    "encode_fold",
    "fit_candidate",
    "origins_of",
    "parameter_grid",
]

Floats = NDArray[np.float64]
Maker = Callable[[Candidate], Any]


class FittedPath(Protocol):
    """Fits of one candidate at several values of its parameter."""

    @property
    def sizes(self) -> list[int]:
        """Numbers that each fit holds: non-zero coefficients, or leaves."""
        ...

    def every(self, X: Any) -> Iterator[Floats]:
        """Return the scores of rows at each value."""
        ...

    def scores(self, X: Any, i: int) -> Floats:
        """Return the scores of rows at the i-th value."""
        ...


@dataclass(frozen=True)
class Encoded:
    """One fold as matrices; the encoder has seen the fitting rows only."""

    X: Any
    y: NDArray[Any]
    X_new: Any
    y_new: NDArray[Any]
    origins: list[Origin]

    @property
    def names(self) -> list[str]:
        """Readable names of the encoded columns."""
        return [o.name for o in self.origins]

    @property
    def levels(self) -> list[int]:
        """Columns that hold codes of levels (of the encoding that trees take)."""
        return [j for j, o in enumerate(self.origins) if o.kind == "level"]

    def without(self, source: str) -> Encoded | None:
        """Return the fold without a column of the table; None when nothing is left."""
        keep = np.flatnonzero([o.source != source for o in self.origins])
        if keep.size == 0:
            return None
        origins = [self.origins[j] for j in keep]
        return Encoded(self.X[:, keep], self.y, self.X_new[:, keep], self.y_new, origins)


def origins_of(candidate: Candidate, encoder: Any, encoded: Any = None) -> list[Origin]:
    """Return where the columns of a fitted encoder's matrix come from."""
    return native_origin(encoder) if candidate.grown else feature_origin(encoder, encoded)


def encode_fold(sample: Sample, fold: Fold, candidate: Candidate, make: Maker) -> Encoded:
    """Fit an encoder on the fitting rows of a fold and encode both parts."""
    encoder = make(candidate)
    X = encoder.fit_transform(sample.frame[fold.fit])
    X_new = encoder.transform(sample.frame[fold.score])
    return Encoded(X, sample.y[fold.fit], X_new, sample.y[fold.score], origins_of(candidate, encoder))


def fit_candidate(
    candidate: Candidate, rows: Encoded, n_classes: int, values: Sequence[float] | Floats, seed: int
) -> Any:
    """Return the fits at each value of the parameter (a :class:`FittedPath`)."""
    if candidate.grown:
        return fit_grown(candidate, rows.X, rows.y, n_classes, values, rows.levels, seed)
    ratio = float(candidate.l1_ratio or 0.0)
    return fit_path(rows.X, rows.y, n_classes, ratio, values, family=candidate.family)


def parameter_grid(candidate: Candidate, sample: Sample, make: Maker, size: int) -> Floats:
    """Return the values of the parameter to try, the simplest model first; the same in every fold."""
    if not candidate.fitted:
        return np.array([np.nan])
    encoder = make(candidate)
    X = encoder.fit_transform(sample.frame)
    if candidate.grown:
        return grown_grid(candidate, X, sample.y, level_columns(encoder), size)
    return alpha_grid(candidate, X, sample.y, sample.n_classes, size)
