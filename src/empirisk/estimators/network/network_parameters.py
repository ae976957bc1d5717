"""The parameters of networks: what users write, checked by name, as layers, an update rule and a plan."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from empirisk.estimators.checks import check_choice, check_count, check_number
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.network.run import Plan
from empirisk.estimators.network.torch_epochs import DEVICES
from empirisk.optimizers import REGISTRY as RULES
from empirisk.problems.activations import REGISTRY as ACTIVATIONS
from empirisk.problems.normalizations import REGISTRY as NORMALIZATIONS
from empirisk.solvers.step_sizes import make_schedule, named_schedule

__all__ = ["NetworkParameters"]

# Rows a step where the user names no number.
BATCH = 200


class NetworkParameters(Estimator):
    """The constructor's parameters that classifiers and regressors share."""

    hidden: Any
    activation: Any
    normalization: Any
    alpha: float
    l1_ratio: float
    optimizer: Any
    step: Any
    schedule: Any
    n_epochs: int
    batch_size: Any
    dropout: float
    clip: Any
    standardise: bool
    early_stopping: bool
    validation_share: float
    patience: int
    tol: Any
    n_init: int
    warm_start: bool
    checkpoint: Any
    checkpoint_every: int
    device: str
    random_state: Any

    def _hidden(self) -> tuple[int, ...]:
        """Return the units of each hidden layer."""
        given = (self.hidden,) if np.ndim(self.hidden) == 0 else tuple(self.hidden)
        return tuple(check_count("hidden", units, 1) for units in given)

    def _activation(self) -> Any:
        """Return the activation of the hidden layers."""
        given = self.activation
        made = given if hasattr(given, "slope") else check_choice("activation", given, ACTIVATIONS)
        f = made() if isinstance(made, type) else made
        if not f.differentiable:
            raise ValueError(
                f"activation={f.name!r} has no slope, so that gradients cannot train it; take 'sigmoid', its "
                "smooth form"
            )
        return f

    def _normalization(self) -> Any:
        """Return the normalization of the hidden layers, or None."""
        given = self.normalization
        if given is None or hasattr(given, "standardise"):
            return given
        return check_choice("normalization", given, NORMALIZATIONS)()

    def _rule(self, steps: int, *, stream: bool = False) -> Any:
        """Return the update rule with its schedule; in a stream, whose end is not known, a constant one."""
        known = {name: kind for name, kind in RULES.items() if hasattr(kind, "usual_size")}
        if type(self.optimizer) in known.values():
            return self.optimizer
        kind = check_choice("optimizer", self.optimizer, known)
        auto = isinstance(self.step, str) and self.step == "auto"
        size = kind.usual_size if auto else check_number("step", self.step, 0.0, closed=False)
        schedule = self.schedule
        if getattr(named_schedule(schedule), "of_modulus", False):
            raise ValueError(
                f"schedule={schedule!r} takes steps 1/(mu t) of a strongly convex objective, and a network "
                'has none; use "cosine" or "constant"'
            )
        if stream and getattr(named_schedule(schedule), "needs_horizon", False):
            schedule = "constant"
        return kind(make_schedule(schedule, size, max(steps, 1), 0.0))

    def _strength(self) -> float:
        return check_number("alpha", self.alpha, 0.0)

    def _ratio(self) -> float:
        return check_number("l1_ratio", self.l1_ratio, 0.0, 1.0)

    def _plan(self, rows: int, *, stream: bool = False) -> Plan:
        """Return how to train on so many rows."""
        auto = isinstance(self.batch_size, str) and self.batch_size == "auto"
        batch = BATCH if auto else check_count("batch_size", self.batch_size, 1)
        batch, norm = min(batch, max(rows, 1)), self._normalization()
        if norm is not None and norm.over_rows and batch < 2:
            raise ValueError(
                f"normalization={norm.name!r} takes the variance of the rows of a batch, and there is one: "
                "give batch_size and the training rows at least 2, or normalization='layer'"
            )
        epochs = check_count("n_epochs", self.n_epochs, 1)
        dropout = check_number("dropout", self.dropout, 0.0)
        if dropout >= 1.0:
            raise ValueError(f"dropout must be below 1, or nothing is left, got {dropout!r}")
        return Plan(
            self._rule(epochs * -(-rows // batch), stream=stream),
            epochs,
            batch,
            0.0 if self.clip is None else check_number("clip", self.clip, 0.0, closed=False),
            dropout,
            0.0 if self.tol is None else check_number("tol", self.tol, 0.0, closed=False),
            check_count("patience", self.patience, 1),
            self._device(),
        )

    def _device(self) -> str:
        """Return where the steps are computed, checked by its form alone."""
        given = str(self.device)
        if given not in DEVICES and not re.fullmatch(r"cuda:\d+", given):
            raise ValueError(
                f"device must be 'cpu', 'cuda', 'cuda:1' and so on, or 'cpu-torch', got {self.device!r}"
            )
        return given
