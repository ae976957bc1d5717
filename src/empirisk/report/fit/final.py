"""The chosen model, fitted once more on the whole training part."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from empirisk.evaluation.outputs import Outputs, never_zero
from empirisk.report.errors import DataError
from empirisk.report.estimates import Json, number
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.encode import Origin
from empirisk.report.fit.families import family_loss
from empirisk.report.fit.held import numbers_held
from empirisk.report.fit.recipe import origins_of, recipe
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.shares import prior_scores, probabilities
from empirisk.report.fit.steps import FeatureStep, step_of
from empirisk.report.read.table import Table
from empirisk.results import Certificate, Kind
from empirisk.wording import spelled

__all__ = [
    "UNPROVED",
    "FinalModel",
    "certificate_json",
    "confirmed",
    "fit_final",
    "linear_parts",
    "tolerance",
]

Floats = NDArray[np.float64]
UNPROVED = "no certificate: "


@dataclass(frozen=True)
class FinalModel:
    """A fitted pipeline and its parts.

    Parameters
    ----------
    candidate : Candidate
    alpha : float
        Value of the candidate's parameter; NaN without one.
    pipeline : sklearn.pipeline.Pipeline
        Encoder, feature step where there is one, and estimator.
    X : array of shape (n, p)
        Training rows in the terms that a linear model is told in: the encoded columns, and what a feature
        step adds to them.
    origins : list of Origin
        What each term is.
    train : Sample
    inputs : array of shape (n, q)
        Training rows as the estimator gets them.
    encoded : list of Origin
        What each encoded column is.
    """

    candidate: Candidate
    alpha: float
    pipeline: Pipeline
    X: Floats
    origins: list[Origin]
    train: Sample
    inputs: Floats
    encoded: list[Origin]

    @property
    def estimator(self) -> Any:
        """The last step of the pipeline."""
        return self.pipeline[-1]

    @property
    def step(self) -> tuple[FeatureStep, Any] | None:
        """The feature step and its fitted transformer; None where the encoder feeds the estimator."""
        return (step_of(self.candidate.step), self.pipeline[1]) if self.candidate.step else None

    @property
    def names(self) -> list[tuple[str, str]]:
        """What the pipeline calls its columns, encoded and as the estimator gets them, and readable names."""
        made = zip(self.pipeline[0].get_feature_names_out(), (o.name for o in self.encoded), strict=True)
        pairs = [(str(a), b) for a, b in made]
        if self.step is not None:
            step, fitted = self.step
            got = self.pipeline[:-1].get_feature_names_out()
            pairs += [(str(a), b) for a, b in zip(got, step.inputs(fitted, self.encoded), strict=True)]
        return pairs

    @property
    def weighted(self) -> bool:
        """Whether scores are weighted sums of the encoded columns."""
        return self.linear and (self.step is None or self.step[0].weighted)

    @property
    def linear(self) -> bool:
        """Whether there are coefficients (not for the baseline, nor for trees)."""
        return self.candidate.weighs

    @property
    def fitted(self) -> bool:
        """Whether the model uses columns (not the baseline)."""
        return self.candidate.fitted

    @property
    def n_numbers(self) -> int:
        """How many numbers the model consists of, in the unit of its candidate."""
        if not self.linear:
            return numbers_held(self.candidate, self.estimator)
        coef = linear_parts(self)[0]
        return int(np.count_nonzero(coef.any(axis=1) if coef.ndim == 2 else coef))

    def encode(self, frame: pl.DataFrame) -> Floats:
        """Encode rows, before any feature step."""
        return np.asarray(self.pipeline[0].transform(frame), dtype=np.float64)

    def sums(self, X: Floats) -> Floats:
        """Return the weighted sums of terms, before any link."""
        coef, intercept = linear_parts(self)
        return np.asarray(X @ coef + intercept)

    def mean(self, z: Floats) -> Floats:
        """Return the predicted means from weighted sums of encoded columns (the same, but for a log link)."""
        return np.asarray(family_loss(self.candidate.family).mean(z), dtype=np.float64)

    def outputs(self, z: Floats) -> Outputs:
        """Return what a linear model says about rows with the weighted sums z."""
        if self.train.task == "regression":
            return Outputs(self.mean(z))
        classes = np.asarray(self.estimator.classes_)
        seen = z if z.ndim == 1 else z[:, classes]
        proba, logs = never_zero(probabilities(seen), seen)
        return Outputs(classes[proba.argmax(axis=1)], proba, None, classes, log_proba=logs)


def linear_parts(model: FinalModel) -> tuple[Floats, Floats]:
    """Return the coefficients (p,) or (p, k) of the terms over all classes, and intercepts () or (k,)."""
    coef, intercept = _estimator_parts(model)
    if model.step is None:
        return coef, intercept
    step, fitted = model.step
    coef, shift = step.told(fitted, coef)
    return coef, np.asarray(intercept + shift)


def _estimator_parts(model: FinalModel) -> tuple[Floats, Floats]:
    """Return the same of the columns that the estimator gets."""
    estimator, k = model.estimator, model.train.n_classes
    coef = np.asarray(estimator.coef_, dtype=np.float64).T
    intercept = np.asarray(estimator.intercept_, dtype=np.float64)
    if k == 0:
        return coef, intercept
    if k == 2:
        return coef[:, 0], intercept[0]
    full, prior = np.zeros((coef.shape[0], k)), prior_scores(model.train.y, k)
    if coef.shape[1] == 1:
        coef, intercept = np.column_stack([0.0 * coef, coef]), np.append(0.0, intercept)
    full[:, estimator.classes_] = coef
    prior[estimator.classes_] = intercept
    return full, prior


def fit_final(train: Sample, candidate: Candidate, alpha: float, table: Table, seed: int = 0) -> FinalModel:
    """Fit the recipe of a candidate on the training part of a table.

    Raises
    ------
    DataError
        The training part holds one class only.
    """
    if train.task != "regression" and np.unique(train.y).size < 2:
        raise DataError(
            f"the training part holds one class only ({train.classes[int(train.y[0])]!r}): split the rows"
            " otherwise (--group, --time, --test) or give more rows"
        )
    pipeline = recipe(candidate, table, alpha, seed)
    encoder, estimator = pipeline[0], pipeline[-1]
    X = np.asarray(encoder.fit_transform(train.frame, train.y), dtype=np.float64)
    inputs, origins = X, origins_of(candidate, encoder, X)
    terms, encoded = X, origins
    with warnings.catch_warnings():
        # A certificate above the tolerance is told in the report itself.
        warnings.simplefilter("ignore")
        if candidate.step:
            step, between = step_of(candidate.step), pipeline[1]
            inputs = np.asarray(between.fit_transform(X), dtype=np.float64)
            terms, origins = step.of_terms(between, X), step.terms(between, encoded)
            sds = terms.std(axis=0)
            origins = [replace(o, sd=float(sd)) for o, sd in zip(origins, sds, strict=True)]
        estimator.fit(inputs, train.y, **train.beside)
    return FinalModel(candidate, alpha, pipeline, terms, origins, train, inputs, encoded)


def certificate_json(model: FinalModel) -> Json | None:
    """Return the certificate of the fit, recomputed with plain NumPy but for trees; None for the baseline."""
    if not model.fitted:
        return None
    if model.candidate.grown:
        return _unverified(model.estimator)
    from empirisk.estimators.verify import verify

    solution = model.estimator.solution_
    again, tol = (
        verify(model.estimator, model.inputs, model.train.y, **model.train.beside),
        tolerance(model.estimator),
    )
    return {
        "kind": solution.certificate.kind.name,
        "value": number(solution.certificate.value),
        "scale": number(solution.certificate.scale),
        "relative": number(solution.certificate.relative),
        "tolerance": number(tol),
        "claim": spelled(solution.certificate.claim),
        "status": solution.status.value,
        "verified": confirmed(again, solution.certificate, tol),
    }


def tolerance(estimator: Any) -> float:
    """Return what an estimator was asked for, as a share of the scale of its certificate; 0 for no number."""
    return float(getattr(estimator, "tol", None) or 0.0)


def confirmed(again: Certificate, stated: Certificate, tol: float) -> bool:
    """Return whether a certificate that was computed again bears out the one that a fit states."""
    close = again.within(10.0 * tol) or again.value <= 2.0 * stated.value
    return bool(again.kind is not Kind.NONE and close)


def _unverified(estimator: Any) -> Json:
    """Return what the fit of a model made of trees says about itself; there is no optimum to compare it
    with.
    """
    solution = estimator.solution_
    return {
        "kind": solution.certificate.kind.name,
        "value": None,
        "scale": None,
        "relative": None,
        "tolerance": None,
        "claim": UNPROVED + solution.certificate.claim.removeprefix("none: "),
        "status": solution.status.value,
        "verified": None,
    }
