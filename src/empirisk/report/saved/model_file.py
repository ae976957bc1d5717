"""The model file: one zip with a skops dump and JSON beside it; nothing in it is executed.

``model.skops`` holds the scikit-learn Pipeline (encoder and estimator), ``metadata.json`` everything that a
reader needs to use and to judge it. On loading, every type is checked before any object is made, and 20
synthetic rows are predicted again and compared with the stored predictions.
"""

from __future__ import annotations

import importlib
import math
import os
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, get_tags

from empirisk.data.caller_line import caller_level
from empirisk.report.atomic import write_file
from empirisk.report.errors import DataError
from empirisk.report.fit.encode import model_frame
from empirisk.report.read.carried import exposures
from empirisk.report.read.frames import as_given, is_frame, raw_frame
from empirisk.report.read.like import take_like
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.report.saved.answers import prediction_frame
from empirisk.report.saved.bare import is_own_record, numbers_only
from empirisk.report.saved.ranges import far_outside
from empirisk.report.saved.skops_alone import skops_io
from empirisk.report.saved.unpack import FORMAT, ModelFileError, pack, short, unpack
from empirisk.report.saved.versions import versions_sentence, versions_then_and_now

__all__ = ["FORMAT", "ModelFile", "ModelFileError", "NewRowsWarning", "load", "read_metadata", "save"]

TOLERANCE = 1e-6  # relative; the file keeps full precision, machines round differently
# scikit-learn's imputers keep the type of their columns: a description of memory, which skops does not list.
PLAIN = frozenset({"numpy.dtype"})


class NewRowsWarning(UserWarning):
    """ER005: rows to predict hold values or levels that are unlike those of training."""


@dataclass(frozen=True)
class ModelFile:
    """A loaded model: the pipeline and what is known about it.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Encoder and estimator; takes what :func:`empirisk.report.fit.encode.model_frame` gives.
    metadata : dict
        ``task``, ``model``, ``decisions`` (how columns are read), ``fingerprint`` of the training data,
        ``metrics`` of the test part with intervals, ``certificate``, ``versions``, ``probes``.
    """

    pipeline: Any
    metadata: dict[str, Any]

    def __repr__(self) -> str:
        task, model = self.metadata["task"], self.metadata.get("model", {})
        label = model.get("label") or type(self.pipeline).__name__
        about = f" of {task['target']!r}" if task.get("target") else ""
        rows = f", trained on {model['n_train']:,} rows" if model.get("n_train") else ""
        return f"ModelFile({label}{about}, {task['kind']}{rows})"

    @property
    def task(self) -> str:
        """What the model predicts: ``"binary"``, ``"multiclass"``, ``"regression"`` or ``"clusters"``."""
        return str(self.metadata["task"]["kind"])

    @property
    def classes(self) -> list[str]:
        """Class labels in the order of the probability columns, names of clusters; empty for a regression."""
        return list(self.metadata["task"]["classes"] or [])

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels as an array, for tools that read those of a classifier, such as ``er.evaluate``."""
        if self.task not in ("binary", "multiclass"):
            raise AttributeError(f"a model of the task {self.task!r} has no classes")
        return np.array(self.classes)

    def __sklearn_tags__(self) -> Tags:
        """Return what kind of model this is, as that of the pipeline inside."""
        return get_tags(self.pipeline)

    @property
    def table(self) -> Table:
        """The decisions under which other files are read; holds no rows."""
        return Table.from_decisions(self.metadata["decisions"])

    def _table(self, data: Any) -> Table:
        if isinstance(data, Table):
            return data
        if isinstance(data, str | os.PathLike) or is_frame(data):
            table = self.read(data)
            if strange := self.strange(table):
                warnings.warn(f"ER005: {'; '.join(strange)}", NewRowsWarning, stacklevel=caller_level())
            return table
        raise TypeError(
            f"a model file predicts the rows of a file, a data frame or its own read(), not a"
            f" {type(data).__name__}: give the columns their names, in a data frame"
        )

    def strange(self, table: Table) -> list[str]:
        """Return what in the rows of :meth:`read` the model has not seen: levels, and values far outside
        the training rows, a sentence each.
        """
        return [*table.unseen, *far_outside(table, self.metadata["ranges"])]

    def read(self, data: Any, *, labelled: bool = False) -> Table:
        """Read a file or a data frame so that its columns mean what they meant in training.

        Parameters
        ----------
        data : str, path, data frame (pandas, polars and others) or mapping of names to columns
        labelled : bool, default False
            Whether the target is wanted: rows without one are then left out. Otherwise it may be absent,
            partly missing or unknown, and every row is kept.
        """
        table = self.table
        unused = ("target", "weight")  # of rows to predict
        columns = tuple(replace(c, role="dropped") if c.role in unused else c for c in table.columns)
        blind = replace(table, columns=columns, target=None)
        if is_frame(data):
            return take_like(raw_frame(data), table if labelled else blind)
        if labelled:
            return read_table(Path(data), like=table)
        try:
            return read_table(Path(data), like=blind)
        except DataError:
            # A file without a header and without the target is told by the width that it leaves.
            return read_table(Path(data), like=table)

    def predict(self, data: Any, exposure: Any = None) -> np.ndarray:
        """Predict a class label or a number for each row of a file or a data frame.

        Parameters
        ----------
        data : str, path, data frame, mapping of names to columns, or table from :meth:`read`
            Columns are found by their names, in any order; others may be there. A frame gives the answers
            of the same rows in a file.
        exposure : array of shape (n,) or number, optional
            Over how much each row is counted, for a model that was fitted with exposures; by default the
            column of that name. With 1 the predictions are rates.

        Raises
        ------
        DataError
            Such a model, and neither the column nor `exposure` is there.

        Warns
        -----
        NewRowsWarning
            ER005, what ``empirisk predict`` prints: levels that training did not have, and values far
            outside the training rows.
        """
        table = self._table(data)
        values = self._asked("predict", table, **exposures(table, self.exposure, exposure))
        if not self.classes:
            return np.asarray(values, dtype=np.float64)
        return np.asarray(self.classes, dtype=object)[np.asarray(values, dtype=np.intp)]

    @property
    def exposure(self) -> str | None:
        """Name of the column of exposures that the model was fitted with; None for one without."""
        return self.table.exposure

    def predictions(self, data: Any, exposure: Any = None) -> Any:
        """Return what ``empirisk predict`` writes: names of rows, ``prediction``, probabilities of classes.

        Of clusters: ``cluster``, ``distance`` to its centre, and the same of the next cluster.

        Parameters
        ----------
        data, exposure : as in :meth:`predict`

        Returns
        -------
        data frame
            Of the library of `data`, in pandas with its index; in polars for a file.
        """
        return as_given(prediction_frame(self, self._table(data), exposure), data)

    def _asked(self, what: str, table: Table, **known: Any) -> Any:
        """Return what the pipeline answers; rows that it refuses (such as counts below 0) are named."""
        try:
            return getattr(self.pipeline, what)(model_frame(table), **known)
        except ValueError as error:
            label = self.metadata["model"]["label"]
            raise DataError(f"{table.source.name} has rows that {label} cannot predict: {error}") from error

    def distances(self, data: Any) -> np.ndarray:
        """Distance of each row to the centre of each cluster, shape (n, k); only for clusters.

        The unit is one standard deviation of a number.
        """
        if self.task != "clusters":
            raise ModelFileError("this model has no clusters, so there are no distances: use predict")
        table = self._table(data)
        return np.asarray(self.pipeline.transform(model_frame(table)), dtype=np.float64)

    def predict_proba(self, data: Any) -> np.ndarray:
        """Probability of each of :attr:`classes`, shape (n, k); only for classes.

        They are those that the report scores: a class that the training part did not hold has the probability
        0.
        """
        if not self.classes or self.task == "clusters":
            what = "a number" if not self.classes else "clusters"
            raise ModelFileError(f"this model predicts {what}, so there are no probabilities: use predict")
        table = self._table(data)
        found = np.asarray(self._asked("predict_proba", table), dtype=np.float64)
        present = np.asarray(self.pipeline.classes_, dtype=np.intp)
        if present.size == len(self.classes):
            return found
        out = np.zeros((found.shape[0], len(self.classes)))
        out[:, present] = found
        return out


def save(path: Path, pipeline: Pipeline, metadata: dict[str, Any], probes: pl.DataFrame) -> None:
    """Write a model file (to a temporary name, then renamed).

    Parameters
    ----------
    path : Path
        Where; an existing file is replaced.
    pipeline : sklearn.pipeline.Pipeline
        Fitted; classes are codes ``0..k-1``.
    metadata : dict
        Plain JSON values with at least ``task``, ``model``, ``decisions`` and ``fingerprint``.
    probes : polars.DataFrame
        Synthetic rows (:func:`empirisk.report.saved.probes.draw_probes`).
    """
    sio = skops_io()
    pipeline = numbers_only(pipeline)
    dump = sio.dumps(pipeline)
    rows = {name: [_plain(v) for v in probes[name].to_list()] for name in probes.columns}
    types = {name: str(dtype) for name, dtype in probes.schema.items()}
    meta = {
        "format": FORMAT,
        **metadata,
        "versions": versions_then_and_now(),
        "probes": {"rows": rows, "types": types, "expected": _answers(pipeline, probes).tolist()},
    }
    write_file(path, pack(meta, dump))


def load(path: str | os.PathLike[str]) -> ModelFile:
    """Load a model file, after checking what it holds.

    Parameters
    ----------
    path : str or path
        A file that ``empirisk report`` wrote.

    Returns
    -------
    ModelFile

    Raises
    ------
    ModelFileError
        The file is damaged, holds types that are not trusted, or predicts the stored synthetic rows
        differently.

    Examples
    --------
    ``er.load("adult-report/model.empirisk").predict("new.csv")`` predicts the rows of a file, and
    ``.predict(frame)`` those of a data frame.

    >>> import empirisk as er
    >>> try:
    ...     er.load("nowhere.empirisk")
    ... except ValueError as error:
    ...     print(error)
    nowhere.empirisk does not exist: give the model.empirisk of a report folder
    """
    file = Path(path)
    metadata, dump = unpack(file)
    pipeline = _build(file, dump, metadata)
    _check_probes(file, pipeline, metadata)
    model = ModelFile(pipeline, metadata)
    _check_columns(file, model)
    return model


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the JSON of a model file without building the model."""
    return unpack(Path(path))[0]


def _build(file: Path, dump: bytes, metadata: dict[str, Any]) -> Any:
    sio = skops_io()
    try:
        untrusted = sio.get_untrusted_types(data=dump)
        foreign = [name for name in untrusted if name not in PLAIN and not _is_own_type(name)]
        if foreign:
            raise ModelFileError(
                f"{file.name} is refused: it holds {_list(foreign)}, and only types of scikit-learn and"
                " empirisk are trusted"
            )
        return sio.loads(dump, trusted=untrusted)
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(
            f"{file.name} cannot be loaded ({short(error)});"
            f" {versions_sentence(metadata.get('versions') or {})}"
        ) from error


def _is_own_type(name: str) -> bool:
    """Return whether a dotted name is an estimator of this package, or a record that one holds."""
    if is_own_record(name):
        return True
    module, _, attribute = name.rpartition(".")
    if not module.startswith("empirisk.") or not attribute.isidentifier():
        return False
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except ImportError:
        return False
    return isinstance(found, type) and issubclass(found, BaseEstimator) and found.__module__ == module


def _answers(pipeline: Any, probes: pl.DataFrame) -> np.ndarray:
    answer = pipeline.predict_proba if hasattr(pipeline, "predict_proba") else pipeline.predict
    return np.asarray(answer(probes), dtype=np.float64)


def _check_probes(file: Path, pipeline: Any, metadata: dict[str, Any]) -> None:
    try:
        stored = metadata["probes"]
        frame = pl.DataFrame(
            [_series(name, values, stored["types"][name]) for name, values in stored["rows"].items()]
        )
        expected = np.asarray(stored["expected"], dtype=float)
        again = _answers(pipeline, frame)
    except Exception as error:
        raise ModelFileError(
            f"{file.name} cannot predict its own check rows ({short(error)});"
            f" {versions_sentence(metadata.get('versions') or {})}"
        ) from error
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    if again.shape != expected.shape or not np.allclose(
        again, expected, rtol=TOLERANCE, atol=TOLERANCE * size
    ):
        raise ModelFileError(
            f"{file.name} does not give its stored predictions on {len(expected)} check rows, so it must not"
            f" be used here; {versions_sentence(metadata.get('versions') or {})}"
        )


def _check_columns(file: Path, model: ModelFile) -> None:
    """The columns and classes that the decisions give must be those that the pipeline takes."""
    probes = model.metadata["probes"]
    k = len(getattr(model.pipeline, "classes_", ()))
    if model.task == "clusters":
        k = len(getattr(model.pipeline[-1], "cluster_centers_", ()))
    wrong = "classes" if k > len(model.classes) or (k == 0) != (not model.classes) else ""
    try:
        if model_frame(model.table).columns != list(probes["types"]) or not probes["expected"]:
            wrong = "columns"
    except (pl.exceptions.PolarsError, DataError):
        wrong = "columns"
    if wrong:
        raise ModelFileError(
            f"{file.name} cannot be used: its {wrong} are not those of its model; run the report again"
        )


def _series(name: str, values: list, dtype: str) -> pl.Series:
    if dtype == "Float64":
        return pl.Series(name, [math.nan if v is None else v for v in values], dtype=pl.Float64)
    return pl.Series(name, values, dtype=pl.String)


def _plain(value: Any) -> Any:
    """JSON has no NaN, which stands for a missing number."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _list(names: Any) -> str:
    shown = sorted(str(n) for n in names)
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "") or "nothing"
