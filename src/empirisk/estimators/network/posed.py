"""From what users hand in to the problem that a network trains on: rows, targets, units, rows held out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed, within
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_finite, check_flag, check_number, check_weights
from empirisk.estimators.network.network_parameters import NetworkParameters
from empirisk.estimators.network.units import Units, learn_units
from empirisk.losses import Loss
from empirisk.problems.network import NetworkProblem
from empirisk.problems.network_layers import Layers
from empirisk.typing import Array, IndexArray

__all__ = ["PosedNetwork", "without"]


class PosedNetwork(NetworkParameters):
    """Base of the networks as problems; a subclass says how targets become a loss."""

    seed_: int
    _split_seed: int
    _units: Units

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
            X, y = validated(
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

    def _layers_for(self, design: Design, targets: Array) -> Layers:
        """Return the layers between these columns and targets."""
        widths = (design.shape[1], *self._hidden(), self._n_scores(targets))
        return Layers.of(widths, self._activation(), self._normalization())

    def _posed(self, design: Design, targets: Array, weight: Array) -> NetworkProblem:
        """Return the problem on checked rows; those that are held out have weight 0."""
        units = self._units
        data = ArrayBlocks(design, units.targets(targets), weight)
        return NetworkProblem(
            self._layers_for(design, targets),
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
            weight = without(weight, self._held_rows(weight))
        return self._posed(design, targets, weight)

    def _warm(self, before: Mapping[str, Any], layers: Layers) -> bool:
        """Return whether the fit goes on from the weights of the fit before, in the units of that fit."""
        if not check_flag("warm_start", self.warm_start) or "coefs_" not in before:
            return False
        old = before["_layers"]
        alike = (old.widths, old.normalizations) == (layers.widths, layers.normalizations)
        return alike and np.array_equal(before.get("classes_", ()), getattr(self, "classes_", ()))

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any, before: Mapping[str, Any] | None = None
    ) -> tuple[NetworkProblem, IndexArray, Array, bool]:
        """Return the problem of the first start, the rows held out, all weights, and whether it goes on.

        Seeds and units are learned here.
        """
        design, targets, weight = self._encoded(X, y, sample_weight, fitting=True)
        self.seed_ = self._split_seed = within(check_seed(self.random_state), 64)
        held = self._held_rows(weight)
        warm = before is not None and self._warm(before, self._layers_for(design, targets))
        if not warm:
            self._learn_units(design, targets, without(weight, held))
        return self._posed(design, targets, without(weight, held)), held, weight, warm


def without(weight: Array, held: IndexArray) -> Array:
    """Return the weights with those of the held-out rows set to 0."""
    out = np.array(weight)
    out[held] = 0.0
    return out
