"""``empirisk verify``: prove the fit again on the training data, and score the model on data."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import wording
from empirisk.evaluation.metrics import METRICS
from empirisk.report.errors import DataError
from empirisk.report.estimates import estimate
from empirisk.report.fit.encode import model_frame
from empirisk.report.fit.final import confirmed, tolerance
from empirisk.report.fit.held_out_scores import LABELS, metric_names, predictions
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.split import split_rows
from empirisk.report.read.carried import exposures
from empirisk.report.read.table import Table
from empirisk.report.saved.model_file import ModelFile
from empirisk.report.saved.row_marks import known_rows
from empirisk.results import Certificate, Estimate, Kind, Solution, Status

__all__ = ["Verification", "verify_file", "verify_lines"]

Json = dict[str, Any]
# Claims about what was computed from the rows, by kind: there is no optimum to be near.
RECOMPUTED = (Kind.EXACT, Kind.STATIONARITY)


@dataclass(frozen=True)
class Verification:
    """What came out.

    Parameters
    ----------
    same_data : bool
        Whether the data have the fingerprint of the data that the report was made from.
    certificate : Certificate or None
        Recomputed with plain NumPy; None when the data differ or the model is the constant.
    proved : bool or None
        Whether it is as small as the model file says.
    rows : int
    scored : str
        Which rows were scored, in words.
    metrics : dict of str to Estimate
        By label.
    stored : dict of str to dict
        The estimates in the model file, by label.
    trained : str
        How many of the scored rows trained the model, in a sentence; "" when none is known to have.
    recomputed : bool
        Whether the claim is about numbers that were computed from the rows, and not about an optimum.
    """

    same_data: bool
    certificate: Certificate | None
    proved: bool | None
    rows: int
    scored: str
    metrics: dict[str, Estimate]
    stored: dict[str, Json]
    trained: str = ""
    recomputed: bool = False


def verify_file(model: ModelFile, table: Table) -> Verification:
    """Verify a model on a table that was read under its decisions.

    With the data of the report, the certificate is recomputed on the training rows and the metrics on the
    rows that were held out; with other data, the metrics are those of all rows.

    Raises
    ------
    DataError
        The data lack the target.
    """
    meta = model.metadata
    if model.task == "clusters":
        return _verify_clusters(model, table)
    if table.target is None:
        raise DataError(
            f"{table.source.name} has no column {meta['task']['target']!r}, which is the target: verify"
            " needs it"
        )
    exposures(table, model.exposure)
    same = table.fingerprint == meta["fingerprint"]
    certificate, proved = None, None
    rows, scored = np.arange(table.n_rows), "all rows"
    if same and meta["split"]["unit"] != "file":
        split = split_rows(table, seed=int(meta["split"]["seed"]))
        rows, scored = split.test, "the rows that were held out"
        certificate, proved = _prove(model, take(table, split.train))
    elif same:
        certificate, proved = _prove(model, take(table, rows))
        scored = "the training rows (the test file is another one)"
    sample = take(table, rows)
    p = predictions(model.pipeline, sample)
    level = float(meta["level"])
    metrics = {
        LABELS[m]: METRICS[m].interval(p, level)
        for m in dict.fromkeys((*metric_names(sample.task), *(m["name"] for m in meta["metrics"])))
        if not METRICS[m].unavailable(p)
    }
    if model.table.weight is not None and table.weight is None:
        scored += f", which count alike without the column {model.table.weight!r}"
    stored = {m["label"]: m["model"] for m in meta["metrics"]}
    trained = "" if same else known_rows(table, meta["rows"]).sentence()
    kind = (meta["certificate"] or {}).get("kind")
    recomputed = kind in {k.name for k in RECOMPUTED}
    return Verification(same, certificate, proved, sample.n, scored, metrics, stored, trained, recomputed)


def _verify_clusters(model: ModelFile, table: Table) -> Verification:
    """Prove the groups again on the rows that made them; other rows have no certificate."""
    meta = model.metadata
    same = table.fingerprint == meta["fingerprint"]
    certificate, proved = None, None
    stored = meta["certificate"]
    if same and stored is not None and stored["kind"] != Kind.NONE.name:
        from empirisk.estimators.verify import verify

        X = np.asarray(model.pipeline[:-1].transform(model_frame(table)), dtype=np.float64)
        group = copy.copy(model.pipeline[-1])
        # The file holds no row: the group of a row is its nearest centre, and the claim is told beside.
        group.labels_ = group.predict(X)
        group.certificate_ = Certificate(
            Kind[stored["kind"]], stored["value"] or 0.0, stored["scale"] or 0.0, stored["claim"]
        )
        certificate = verify(group, X, None)
        proved = certificate.kind.name == stored["kind"] and certificate.within(10.0 * float(group.tol))
    trained = "" if same else known_rows(table, meta["rows"]).sentence()
    return Verification(same, certificate, proved, table.n_rows, "", {}, {}, trained)


def _prove(model: ModelFile, train: Sample) -> tuple[Certificate | None, bool | None]:
    stored = model.metadata["certificate"]
    if stored is None or stored["kind"] == Kind.NONE.name:
        return None, None
    from empirisk.estimators.verify import verify

    claimed = Certificate(
        Kind[stored["kind"]], stored["value"] or 0.0, stored["scale"] or 0.0, stored["claim"]
    )
    estimator = model.pipeline[-1]
    if claimed.kind in RECOMPUTED:  # what the fit said of itself is in the metadata alone
        estimator = copy.copy(estimator)
        estimator.solution_ = Solution(np.zeros(0), Status.COMPLETED, claimed, 0)
    X = model.pipeline[:-1].transform(train.frame)
    certificate = verify(estimator, X, train.y, **train.beside)
    return certificate, confirmed(certificate, claimed, tolerance(estimator))


def _head(v: Verification) -> str:
    """Return what the recomputed certificate says of the fit, in the first words of a sentence."""
    assert v.certificate is not None
    if v.proved and v.certificate.kind is Kind.STATIONARITY:
        return "Fit found again, which is no proof of an optimum"
    if v.proved:
        return "Fit proved again"
    if not v.scored or v.recomputed:
        return "Fit NOT proved: what the model holds does not follow from these data"
    return "Fit NOT proved: the coefficients do not minimise the objective on these data"


def verify_lines(v: Verification) -> list[str]:
    """Return in lines of text what the verification found: the data, the proof of the fit and the scores."""
    out = [
        "The data are those of the report (same fingerprint)."
        if v.same_data
        else "The data are not those of the report (another fingerprint)."
    ]
    if v.certificate is not None:
        out.append(f"{_head(v)}: {v.certificate.claim}.")
    elif v.same_data:
        out.append("The model is a constant or made of trees: there is no optimum to prove.")
    else:
        out.append("The proof of the fit needs the data of the report.")
    if v.trained:
        out.append(v.trained)
    if not v.scored:
        return out
    out.append(f"Scores on {v.scored}, n = {v.rows:,}:")
    for label, e in v.metrics.items():
        then = f"   (report: {wording.estimate(v.stored[label])})" if label in v.stored else ""
        out.append(f"  {label} {wording.estimate(estimate(e))}{then}")
    return out
