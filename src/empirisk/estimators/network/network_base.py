"""What networks share once their problem is posed: starts, epochs, certificates, streams, predictions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.frames import like_input
from empirisk.data.kept import fingerprint
from empirisk.data.seeds import check_seed, within
from empirisk.estimators.checks import check_count, check_flag
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.network.checkpoint import Checkpoint, checked_path
from empirisk.estimators.network.layered_graph import NetworkGraph
from empirisk.estimators.network.posed import PosedNetwork, without
from empirisk.estimators.network.run import Trained, epochs_on, train
from empirisk.estimators.network.training import Training, begin, epoch_order, one_blas_thread
from empirisk.estimators.new_rows import new_rows
from empirisk.estimators.stated import disputed
from empirisk.problems.network import CHUNK, NetworkProblem
from empirisk.problems.network_layers import Layers
from empirisk.problems.network_pass import NetworkPass
from empirisk.problems.normalizations.base import Moments
from empirisk.results import Certificate, Estimate, Kind, Solution, Status, unconfirmed
from empirisk.typing import Array
from empirisk.wording import counted

__all__ = ["NetworkEstimator"]

STREAMED = Certificate(
    Kind.NONE,
    np.inf,
    1.0,
    "none: the rows of a stream are gone; est.problem(X, y).certify(est.solution_.w) measures other rows",
)


class NetworkEstimator(PosedNetwork):
    """Base of the networks, trained and asked; a subclass says how scores become answers.

    After ``fit``: ``coefs_``, ``intercepts_``, ``gains_``, ``moments_``, ``loss_``, ``n_iter_``, ``t_``,
    ``solution_``, and the property ``certificate_``.
    """

    coefs_: list[Array]
    intercepts_: list[Array]
    gains_: list[Array]
    moments_: list[Moments | None]
    solution_: Solution
    validation_loss_: Estimate | None
    n_features_in_: int
    _layers: Layers
    # Steps on batches are no function of the weighted table alone.
    _weight_is_repetition = False

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
            plan = self._plan(int(np.count_nonzero(without(weight, held))))
            first = _weights_of(before) if warm else None
            kept, found = self._checkpoint(problem, weight, first), []
            for number in range(check_count("n_init", self.n_init, 1)):
                here = replace(problem, seed=within(self._split_seed + number, 64))
                start = here.start() if first is None else first
                found.append((here.seed, here, train(here, start, plan, held, weight, number, kept)))
            rose = self._finish(found)
            if kept is not None:
                kept.remove()
        if rose or not (self.solution_.status.ok or self.solution_.status is Status.COMPLETED):
            warnings.warn(f"ER001: {self.solution_.sentence}", CertificateWarning, stacklevel=caller_level())
        return self

    def _checkpoint(self, problem: NetworkProblem, weight: Array, first: Array | None) -> Checkpoint | None:
        """Return the file that the fit goes on from and is written to, if there is to be one."""
        every = check_count("checkpoint_every", self.checkpoint_every, 1)
        if self.checkpoint is None:
            return None
        (block,) = problem.data
        facts = {name: fingerprint(value) for name, value in self.get_params(deep=False).items()}
        for name in ("checkpoint", "checkpoint_every"):
            del facts[name]
        facts |= {
            "random_state": str(self._split_seed),
            "rows": fingerprint(block.design.X),
            "targets": fingerprint(block.y),
            "weights of rows": fingerprint(weight),
            "first weights": fingerprint(first),
        }
        return Checkpoint(checked_path(self.checkpoint), every, facts)

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
        notes, first = [trained.note, *self._notes(problem, e)], problem.rose(w, e)
        if first is not None:
            notes.insert(0, f"F is {loss:.4g}, and was {first:.4g} at the start: take a shorter step")
        self._keep(problem, trained.run)
        self.loss_, self.validation_curve_ = loss, trained.curve
        self.validation_loss_ = self._in_units(trained.held)
        self.solution_ = Solution(
            w,
            trained.status,
            certificate,
            n_steps=self.t_,
            n_passes=float(self.n_iter_),
            note="; ".join(note for note in notes if note),
            solver="network",
        )
        return first is not None

    def _in_units(self, held: Estimate | None) -> Estimate | None:
        """Return the loss of held-out rows with its units told, where they are not those of the targets."""
        if held is None or self._units.target_center is None:
            return held
        return replace(held, target=f"{held.target}; targets are in units of their standard deviation")

    def _notes(self, problem: NetworkProblem, e: NetworkPass) -> list[str]:
        """Return sentences on units that are dead and columns that do not vary."""
        notes = [
            f"{count} of {width} units of layer {number} are 0 on every training row and learn nothing more: "
            "take a shorter step, or activation='leaky_relu'"
            for number, (count, width) in enumerate(zip(e.silent, problem.layers.widths[1:], strict=True), 1)
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
        self.gains_ = [gain.copy() for gain in problem.layers.gains(run.w)]
        self.moments_, self._layers = problem.moments(run.w), problem.layers
        self.n_iter_, self.t_, self._run = run.epochs, run.taken, run

    # -- rows that come in blocks -------------------------------------------------------------------

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Go on with the rows of one block, each once."""
        norm = self._normalization()
        if norm is not None and norm.over_rows:
            raise ValueError(
                f"normalization={norm.name!r} needs the means and variances of all rows, which a stream "
                "does not have: take normalization='layer', or fit all rows at once"
            )
        if check_flag("early_stopping", self.early_stopping):
            raise ValueError(
                "early_stopping=True needs rows that are held out, and partial_fit takes a step with each: "
                "set early_stopping=False, or fit all rows at once"
            )
        first = not hasattr(self, "coefs_")
        with as_before(self):
            design, targets, weight = self._encoded(X, y, sample_weight, fitting=first)
            if not first:
                self._refuse_other_scores(self._n_scores(targets))
            else:
                self.seed_ = self._split_seed = within(check_seed(self.random_state), 64)
                self._learn_units(design, targets, weight)
            run = getattr(self, "_run", None)
            dtype = design.dtype if first else self.coefs_[0].dtype
            if design.dtype != dtype:
                design = Design(design.X.astype(dtype))
            problem = self._posed(design, targets, weight)
            if run is None:
                run = begin(problem.start() if first else _weights_of(vars(self)), dtype)
            live = np.flatnonzero(weight > 0.0)
            plan = self._plan(len(live), stream=True)
            order, epoch_on = epoch_order(live, self.seed_, run.epochs + 1), epochs_on(problem, plan.device)
            with one_blas_thread():
                after, bad = epoch_on(
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

    def _refuse_other_scores(self, scores: int) -> None:
        """Refuse a block with another number of targets than the network has scores."""
        known = len(self.intercepts_[-1])
        if scores != known:
            raise ValueError(
                f"y has {counted(scores, 'target')} a row, and the blocks before had {known}: a stream goes "
                "on with the same number of targets; fit() begins anew"
            )

    # -- answers ------------------------------------------------------------------------------------

    @property
    def certificate_(self) -> Certificate:
        """The gradient norm on all training rows: a stationary point, and nothing about other ones."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _scores(self, X: Any) -> Array:
        """Return the scores of rows, shape (n, scores), in the format of X."""
        X = new_rows(self, X)
        X = X.tocsr() if getattr(X, "format", "") == "csc" else X
        w = _weights_of(vars(self)).astype(X.dtype)
        parts = []
        for a in range(0, X.shape[0], CHUNK):
            rows = X[a : a + CHUNK]
            rows = rows.toarray() if hasattr(rows, "toarray") else rows
            parts.append(self._layers.scores(w, self._units.read(rows), self.moments_))
        return np.concatenate(parts)

    def _score_names(self) -> list[str]:
        """Return what the scores of the last layer are called."""
        raise NotImplementedError

    @like_input
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
            [
                f.name if norm is None else f"{f.name}, {norm.name} norm"
                for f, norm in zip(self._layers.activations, self._layers.normalizations, strict=True)
            ],
            inputs=getattr(self, "feature_names_in_", None),
            outputs=self._score_names(),
            units="" if self._units.center is None else "columns minus means, over standard deviations",
        )

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Measure the gradient of the stored weights on the rows, which must be what the fit states."""
        problem = self.problem(X, y, sample_weight)
        why = problem.layers.misshapen(vars(self))
        if why:
            return unconfirmed(why)
        w, stated = _weights_of(vars(self)), self.certificate_
        e = problem.evaluate(w)
        found, loss = problem.certify(w, e), problem.objective(w, e)
        if not abs(loss - self.loss_) <= 1e-9 * abs(self.loss_):
            return unconfirmed(f"F is {loss:.10g} on these rows, and the fit states {self.loss_:.10g}")
        slack = 1e-6 * stated.value + found.floor + stated.floor
        if not abs(found.value - stated.value) <= slack:
            return unconfirmed(
                f"the gradient norm on these rows is {found.value:.6g}, and the fit states {stated.value:.6g}"
            )
        return disputed(self, {"moments_": problem.moments(w)}, tol=1e-6) or found

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


def _weights_of(fitted: Mapping[str, Any]) -> Array:
    """Return the parameters of a fit in the layout of its problem, in double precision."""
    layers: Layers = fitted["_layers"]
    return layers.join(fitted["coefs_"], fitted["intercepts_"], fitted["gains_"])
