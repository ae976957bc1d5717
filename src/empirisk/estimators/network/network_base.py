"""What networks share: rows, units of columns, starts, epochs, certificates, predictions."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed, within
from empirisk.data.sparse_cells import canonical
from empirisk.estimators.checks import (
    check_count,
    check_finite,
    check_flag,
    check_number,
    check_weights,
)
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.network.layered_graph import NetworkGraph
from empirisk.estimators.network.network_parameters import NetworkParameters
from empirisk.estimators.network.run import Trained, train
from empirisk.estimators.network.training import Training, begin, epoch_order, one_blas_thread, one_epoch
from empirisk.estimators.network.units import Units, learn_units
from empirisk.losses import Loss
from empirisk.problems.network import CHUNK, NetworkPass, NetworkProblem
from empirisk.problems.network_layers import Layers
from empirisk.results import Certificate, Estimate, Kind, Solution, Status, unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["NetworkEstimator"]

STREAMED = Certificate(
    Kind.NONE,
    np.inf,
    1.0,
    "none: the rows of a stream are gone; est.problem(X, y).certify(est.solution_.w) measures other rows",
)


class NetworkEstimator(NetworkParameters):
    """Base of the networks; a subclass says how targets become a loss and scores become answers.

    After ``fit``: ``coefs_``, ``intercepts_``, ``loss_``, ``n_iter_``, ``t_``, ``solution_``, and the
    property ``certificate_``.
    """

    coefs_: list[Array]
    intercepts_: list[Array]
    solution_: Solution
    validation_loss_: Estimate | None
    n_features_in_: int
    seed_: int
    _split_seed: int
    _units: Units
    # Steps on batches are no function of the weighted table alone.
    _weight_is_repetition = False

    # -- what a subclass gives ----------------------------------------------------------------------

    def _loss(self) -> Loss:
        """Return the loss of the problem, once the targets are known."""
        raise NotImplementedError

    def _targets(self, y: Any, fitting: bool) -> Array:
        """Encode targets as the loss wants them; learns ``classes_`` when fitting."""
        raise NotImplementedError

    def _n_scores(self, targets: Array) -> int:
        """Return how many scores a row has."""
        raise NotImplementedError

    def _weights(self, weight: Array, targets: Array) -> Array:
        """Return the weights of the rows; classifiers multiply them by the weights of the classes here."""
        return weight

    def _look_at_targets(self, y: Any) -> None:
        """Hook for checks of y that name the row."""

    def _y_options(self) -> dict[str, Any]:
        """Return what scikit-learn's check of the targets is told."""
        return {}

    # -- the problem --------------------------------------------------------------------------------

    def _encoded(self, X: Any, y: Any, sample_weight: Any, fitting: bool) -> tuple[Design, Array, Array]:
        """Return the checked columns by rows, targets as the loss wants them, and weights."""
        self._look_at_targets(y)
        with numbers_only(X, y):
            X, y = validate_data(
                self,
                canonical(X),
                y,
                reset=fitting,
                accept_sparse=["csr", "csc"],
                dtype=[np.float64, np.float32],
                order=None,
                ensure_all_finite=False,
                **self._y_options(),
            )
            design = Design(X.tocsr() if getattr(X, "format", "") == "csc" else X)
            check_finite(design, getattr(self, "feature_names_in_", None))
            targets = self._targets(y, fitting)
        return design, targets, self._weights(check_weights(sample_weight, design.shape[0]), targets)

    def _learn_units(self, design: Design, targets: Array, weight: Array) -> None:
        """Learn the units of columns and targets from rows, where they are standardised."""
        standardise = check_flag("standardise", self.standardise)
        names = getattr(self, "feature_names_in_", None)
        learned = learn_units(design, targets, weight, names, of_targets=self._loss().quadratic)
        self._units = learned if standardise else Units()

    def _held_rows(self, weight: Array) -> IndexArray:
        """Return the rows that early stopping holds out, by the seed of the fit."""
        if not check_flag("early_stopping", self.early_stopping):
            return np.zeros(0, dtype=np.intp)
        share = check_number("validation_share", self.validation_share, 0.0, 1.0, closed=False)
        live = np.flatnonzero(weight > 0.0)
        count = max(1, round(share * len(live)))
        if count >= len(live):
            raise ValueError(
                f"early_stopping holds out {count} of {len(live)} rows with weight, which leaves none to "
                "train"
            )
        rng = np.random.default_rng(np.random.Philox(key=self._split_seed, counter=[0, 0, 1, 0]))
        return np.sort(rng.permutation(live)[:count])

    def _posed(self, design: Design, targets: Array, weight: Array) -> NetworkProblem:
        """Return the problem on checked rows; those that are held out have weight 0."""
        units, targets = self._units, self._units.targets(targets)
        layers = Layers.of((design.shape[1], *self._hidden(), self._n_scores(targets)), self._activation())
        data = ArrayBlocks(design, targets, weight)
        return NetworkProblem(
            layers,
            self._loss(),
            data,
            self._strength(),
            self._ratio(),
            units.center,
            units.scaling,
            self.seed_,
        )

    def problem(self, X: Any, y: Any, sample_weight: Any = None) -> NetworkProblem:
        """The problem that ``fit`` trains on with these rows, for inspection.

        Rows that early stopping holds out have weight 0.  A fitted estimator reads columns in its units.
        """
        if not hasattr(self, "coefs_"):
            twin = type(self)(**self.get_params(deep=False))
            return twin._prepared(X, y, sample_weight)[0]
        design, targets, weight = self._encoded(X, y, sample_weight, fitting=False)
        if hasattr(self, "loss_"):  # no stream, which holds out nothing
            weight = _without(weight, self._held_rows(weight))
        return self._posed(design, targets, weight)

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any, before: Mapping[str, Any] | None = None
    ) -> tuple[NetworkProblem, IndexArray, Array, bool]:
        """Return the problem of the first start, the rows held out, all weights, and whether it goes on.

        Seeds and units are learned here.
        """
        design, targets, weight = self._encoded(X, y, sample_weight, fitting=True)
        self.seed_ = self._split_seed = within(check_seed(self.random_state), 64)
        held = self._held_rows(weight)
        warm = before is not None and self._warm(before, design, targets)
        if not warm:
            self._learn_units(design, targets, _without(weight, held))
        return self._posed(design, targets, _without(weight, held)), held, weight, warm

    # -- all rows in memory -------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the network of the class docstring.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; float32 stays float32, other numbers become float64.
        y : array, shape (n,) or (n, m)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0 of the rows in the objective.

        Returns
        -------
        self
        """
        with as_before(self) as before:
            problem, held, weight, warm = self._prepared(X, y, sample_weight, before)
            plan = self._plan(int(np.count_nonzero(_without(weight, held))))
            found = []
            for number in range(check_count("n_init", self.n_init, 1)):
                here = replace(problem, seed=within(self._split_seed + number, 64))
                start = _packed(before["coefs_"], before["intercepts_"]) if warm else here.start()
                found.append((here.seed, here, train(here, start, plan, held, weight)))
            rose = self._finish(found)
        if rose or not (self.solution_.status.ok or self.solution_.status is Status.COMPLETED):
            warnings.warn(f"ER001: {self.solution_.sentence}", CertificateWarning, stacklevel=2)
        return self

    def _warm(self, before: Mapping[str, Any], design: Design, targets: Array) -> bool:
        """Return whether the fit goes on from the weights of the fit before, in the units of that fit."""
        if not check_flag("warm_start", self.warm_start) or "coefs_" not in before:
            return False
        shapes = [c.shape for c in before["coefs_"]]
        widths = (design.shape[1], *self._hidden(), self._n_scores(targets))
        same = np.array_equal(before.get("classes_", ()), getattr(self, "classes_", ()))
        return same and shapes == list(itertools.pairwise(widths))

    def _finish(self, found: list[tuple[int, NetworkProblem, Trained]]) -> bool:
        """Keep the best start, say how good it is and how far the starts lie apart; return whether F rose."""
        judged = [(*_judged(problem, trained), seed, problem, trained) for seed, problem, trained in found]
        _, loss, e, self.seed_, problem, trained = min(judged, key=lambda row: row[0])
        w = np.asarray(trained.run.w, dtype=np.float64)
        certificate = problem.certify(w, e)
        if len(judged) > 1:
            low, high = min(row[1] for row in judged), max(row[1] for row in judged)
            claim = f"{certificate.claim}; over {len(judged)} starts F lay between {low:.6g} and {high:.6g}"
            certificate = replace(certificate, claim=claim)
        notes, rose = [trained.note, *self._notes(problem, w)], not loss <= problem.origin[0]
        if rose:
            notes.insert(
                0, f"F is {loss:.4g}, and was {problem.origin[0]:.4g} at the start: take a shorter step"
            )
        self._keep(problem, trained.run)
        self.loss_, self.validation_loss_, self.validation_curve_ = loss, trained.held, trained.curve
        self.solution_ = Solution(
            w,
            trained.status,
            certificate,
            n_steps=self.t_,
            n_passes=float(self.n_iter_),
            note="; ".join(note for note in notes if note),
            solver="network",
        )
        return rose

    def _notes(self, problem: NetworkProblem, w: Array) -> list[str]:
        """Return sentences on units that are dead and columns that do not vary."""
        notes = [
            f"{count} of {width} units of layer {number} are 0 on every training row and learn nothing more: "
            "take a shorter step, or activation='leaky_relu'"
            for number, (count, width) in enumerate(
                zip(problem.silent_units(w), problem.layers.widths[1:], strict=True), 1
            )
            if count
        ]
        (block,) = problem.data
        if not block.design.moments(block.weight)[1].any():
            notes.append("no column of X varies, so that every row gets the same answer")
        return notes

    def _keep(self, problem: NetworkProblem, run: Training) -> None:
        """Set the attributes that a trained network is read from."""
        pairs = list(problem.layers.split(run.w))
        self.coefs_ = [weights.copy() for weights, _ in pairs]
        self.intercepts_ = [bias.copy() for _, bias in pairs]
        self.n_iter_, self.t_, self._run = run.epochs, run.taken, run

    # -- rows that come in blocks -------------------------------------------------------------------

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Go on with the rows of one block, each once."""
        first = not hasattr(self, "coefs_")
        with as_before(self):
            design, targets, weight = self._encoded(X, y, sample_weight, fitting=first)
            if first:
                self.seed_ = self._split_seed = within(check_seed(self.random_state), 64)
                self._learn_units(design, targets, weight)
            run = getattr(self, "_run", None)
            dtype = design.dtype if first else self.coefs_[0].dtype
            if design.dtype != dtype:
                design = Design(design.X.astype(dtype))
            problem = self._posed(design, targets, weight)
            if run is None:
                run = begin(problem.start() if first else _packed(self.coefs_, self.intercepts_), dtype)
            live = np.flatnonzero(weight > 0.0)
            plan = self._plan(len(live), stream=True)
            order = epoch_order(live, self.seed_, run.epochs + 1)
            with one_blas_thread():
                after, bad = one_epoch(
                    problem, run, plan.rule, order, plan.batch, clip=plan.clip, dropout=plan.dropout
                )
            if bad is not None:
                raise ValueError(
                    f"the steps of partial_fit led to infinity in layer {bad.layer}: take a shorter step, or "
                    "clip=1; the network is as it was"
                )
            self._keep(problem, after)
            self.__dict__.pop("loss_", None)
            self.validation_loss_, self.validation_curve_ = None, np.zeros(0)
            w = np.asarray(after.w, dtype=np.float64)
            self.solution_ = Solution(w, Status.COMPLETED, STREAMED, n_steps=after.taken, solver="network")
        return self

    # -- answers ------------------------------------------------------------------------------------

    @property
    def certificate_(self) -> Certificate:
        """The gradient norm on all training rows: a stationary point, and nothing about other ones."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _scores(self, X: Any) -> Array:
        """Return the scores of rows, shape (n, scores), in the format of X."""
        check_is_fitted(self)
        with numbers_only(X):
            X = validate_data(
                self,
                canonical(X),
                reset=False,
                accept_sparse=["csr", "csc"],
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
            )
        check_finite(Design(X), getattr(self, "feature_names_in_", None))
        X = X.tocsr() if getattr(X, "format", "") == "csc" else X
        shapes = [c.shape for c in self.coefs_]
        layers = Layers.of((*[a for a, _ in shapes], shapes[-1][1]), self._activation())
        w = _packed(self.coefs_, self.intercepts_).astype(X.dtype)
        parts = []
        for a in range(0, X.shape[0], CHUNK):
            rows = X[a : a + CHUNK]
            rows = rows.toarray() if hasattr(rows, "toarray") else rows
            parts.append(layers.scores(w, self._units.read(rows)))
        return np.concatenate(parts)

    def _score_names(self) -> list[str]:
        """Return what the scores of the last layer are called."""
        raise NotImplementedError

    def graph(self) -> NetworkGraph:
        """Return the network as a layered graph, for a table of its arcs or a picture.

        Returns
        -------
        NetworkGraph
            ``graph().plot(ax=None)`` draws it, ``graph().to_frame()`` has one row an arc.
        """
        check_is_fitted(self)
        return NetworkGraph(
            self.coefs_,
            self.intercepts_,
            [self._activation().name] * (len(self.coefs_) - 1) + ["identity"],
            inputs=getattr(self, "feature_names_in_", None),
            outputs=self._score_names(),
            units="" if self._units.center is None else "columns minus means, over standard deviations",
        )

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Measure the gradient of the stored weights on the rows, which must be what the fit states."""
        problem = self.problem(X, y, sample_weight)
        w, stated = _packed(self.coefs_, self.intercepts_), self.certificate_
        e = problem.evaluate(w)
        found, loss = problem.certify(w, e), problem.objective(w, e)
        if not abs(loss - self.loss_) <= 1e-9 * abs(self.loss_):
            return unconfirmed(f"F is {loss:.10g} on these rows, and the fit states {self.loss_:.10g}")
        slack = 1e-6 * stated.value + found.floor + stated.floor
        if not abs(found.value - stated.value) <= slack:
            return unconfirmed(
                f"the gradient norm on these rows is {found.value:.6g}, and the fit states {stated.value:.6g}"
            )
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_run", None)  # the memories of the rule are as large as the weights
        return state


def _judged(problem: NetworkProblem, trained: Trained) -> tuple[float, float, NetworkPass]:
    """Return what starts are compared by (the held-out loss if there is one; never NaN), F, its pass."""
    w = np.asarray(trained.run.w, dtype=np.float64)
    e = problem.evaluate(w)
    loss = problem.objective(w, e)
    score = trained.held.value if trained.held is not None else loss
    return score if np.isfinite(score) else np.inf, loss, e


def _without(weight: Array, held: IndexArray) -> Array:
    """Return the weights with those of the held-out rows set to 0."""
    out = np.array(weight)
    out[held] = 0.0
    return out


def _packed(coefs: list[Array], intercepts: list[Array]) -> Array:
    """Return weights and biases in the layout of the problem, in double precision."""
    parts = [np.ravel(part) for pair in zip(coefs, intercepts, strict=True) for part in pair]
    return np.concatenate(parts).astype(np.float64)
