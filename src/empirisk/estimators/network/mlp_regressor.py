"""Regression by a network of layers, trained by minibatch steps.

Rumelhart, Hinton and Williams, Nature 323 (1986).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from empirisk.estimators.checks import check_numeric_targets
from empirisk.estimators.documented import documented
from empirisk.estimators.loss_names import loss_named, scalar_losses
from empirisk.estimators.network.mlp_classifier import MLPClassifier
from empirisk.estimators.network.network_base import NetworkEstimator
from empirisk.losses import Loss, check_targets
from empirisk.typing import Array

__all__ = ["MLPRegressor"]


@documented(MLPClassifier)
class MLPRegressor(RegressorMixin, NetworkEstimator):
    """Regression by a network of layers, with the gradient norm on all rows as its certificate.

    ``min_W (1/S) sum_i s_i l(y_i, z_i) + alpha (r ||W||_1 + (1-r) ||W||^2 / 2)``

    z_i are the scores of row i, as in :class:`MLPClassifier`; with several targets l is summed over them.
    For the squared loss targets are standardised inside, so that alpha and steps do not depend on their unit:
    ``loss_`` and ``validation_loss_`` are losses of the standardised targets.

    Parameters
    ----------
    hidden, activation, normalization
        As in :class:`MLPClassifier`.
    loss : str or Loss, default "half_squared"
        "half_squared", "huber", "absolute", "quantile", "epsilon_insensitive", and, with a log link,
        "poisson" (counts) and "gamma" (positive targets). Pass an object of ``er.losses`` for another width
        or quantile: ``er.losses.Quantile(0.9)``.
    alpha, l1_ratio, optimizer, step, schedule, n_epochs, batch_size, dropout, clip, standardise
        As in :class:`MLPClassifier`.
    early_stopping, validation_share, patience, tol, n_init, warm_start
        As in :class:`MLPClassifier`.
    checkpoint, checkpoint_every, device, random_state
        As in :class:`MLPClassifier`.

    Attributes
    ----------
    coefs_, intercepts_, gains_, moments_, loss_, validation_loss_, certificate_, solution_, n_iter_, t_
        As in :class:`MLPClassifier`.

    Raises
    ------
    ValueError
        On targets outside the domain of the loss, a step that is not positive, unknown losses.

    Notes
    -----
    As :class:`MLPClassifier`.

    References
    ----------
    As in :class:`MLPClassifier`.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.linspace(-3.0, 3.0, 200)[:, None]
    >>> model = er.MLPRegressor(20, "tanh", step=0.03, batch_size=50, n_epochs=400)
    >>> model = model.fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    loss: Any
    _columns: bool  # whether the fit had columns of targets

    def __init__(
        self,
        hidden: Any = (100,),
        activation: Any = "relu",
        *,
        normalization: Any = None,
        loss: Any = "half_squared",
        alpha: float = 1e-4,
        l1_ratio: float = 0.0,
        optimizer: Any = "adam",
        step: float | str = "auto",
        schedule: Any = "constant",
        n_epochs: int = 200,
        batch_size: int | str = "auto",
        dropout: float = 0.0,
        clip: float | None = None,
        standardise: bool = True,
        early_stopping: bool = False,
        validation_share: float = 0.1,
        patience: int = 10,
        tol: float | None = None,
        n_init: int = 1,
        warm_start: bool = False,
        checkpoint: Any = None,
        checkpoint_every: int = 10,
        device: str = "cpu",
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on with the rows of one block, each once; see :meth:`MLPClassifier.partial_fit`.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features, the same columns in every block.
        y : array, shape (n,) or (n, m)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0, relative to their mean in the block.

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, sample_weight)

    _fits_together = True

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True, "multi_output": True}

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _loss(self) -> Loss:
        given = self.loss
        made = loss_named(given) if isinstance(given, str) else given
        if not isinstance(made, type) and isinstance(made, Loss) and self._takes(made):
            return made
        known = ", ".join(scalar_losses(self._takes))
        raise ValueError(
            f"loss must be one of {known}, or such an object of er.losses with parameters of its own, got "
            f"{given!r}"
        )

    @staticmethod
    def _takes(loss: Loss) -> bool:
        """Return whether a loss is for numbers, and its slope is compiled."""
        return loss.row_slope and not loss.labels

    def _targets(self, y: Any, fitting: bool) -> Array:
        targets = np.asarray(y, dtype=np.float64)
        check_targets(self._loss(), targets)
        if fitting:
            self._columns = targets.ndim == 2
        return targets

    def _n_scores(self, targets: Array) -> int:
        return 1 if targets.ndim == 1 else int(targets.shape[1])

    def _score_names(self) -> list[str]:
        m = len(self.intercepts_[-1])
        return ["target"] if m == 1 else [f"target {j + 1}" for j in range(m)]

    def predict(self, X: Any) -> Array:
        """Return the predictions, shape (n,), or (n, m) where the fit had m columns of targets."""
        z = self._scores(X)
        z, loss = self._units.answers(z), self._loss()
        z = np.asarray(loss.mean(z), dtype=z.dtype) if loss.log_link else z
        return z if self._columns else z[:, 0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        made = loss_named(self.loss) if isinstance(self.loss, str) else self.loss
        tags.target_tags.positive_only = getattr(made, "log_link", False) is True
        return tags
