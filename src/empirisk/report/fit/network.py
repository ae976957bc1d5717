"""The candidate that is a neural network: two layers of 32 rectifiers at three penalties.

Its penalty and the rows held out for early stopping keep it from the noise of its rows; a network of this
size follows smooth functions of many columns at once, which trees cut into steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST_ROWS", "MOST_COLUMNS", "n_weights", "network_estimator", "network_grid", "network_seconds"]

HIDDEN = (32, 32)
PENALTIES = (0.03, 0.003, 0.0003)
FEWEST_ROWS = 200  # training rows below which a network of this size follows their noise
MOST_COLUMNS = 2_000
# Visits of rows, after which training ends whatever the epoch, and epochs for few rows.
VISITS, EPOCHS = 1_000_000, 200
BATCH, STEP, PATIENCE = 32, 0.01, 40
# Shares of the rows that early stopping holds out, for few rows and for many.
MANY, SHARES = 5_000, (0.2, 0.1)
# Seconds for a visit of a row and a weight, and for a visit alone.
_WEIGHT, _VISIT = 7.0e-11, 7.0e-8


def network_estimator(task: str, alpha: float, seed: int, n: int) -> Any:
    """Return the unfitted network at a penalty; it standardises its columns again, and numbers to predict.

    Parameters
    ----------
    task : {"binary", "multiclass", "regression"}
    alpha : float
        Strength of the penalty on the squared weights.
    seed : int
        Of the first weights, the order of the rows, and the rows that are held out.
    n : int
        Rows of the table.
    """
    from empirisk import estimators

    return estimators.REGISTRY["MLPRegressor" if task == "regression" else "MLPClassifier"](
        HIDDEN,
        alpha=alpha,
        step=STEP,
        n_epochs=_epochs(n),
        batch_size=BATCH,
        early_stopping=True,
        validation_share=SHARES[n > MANY],
        patience=PATIENCE,
        random_state=seed,
    )


def _epochs(n: float) -> int:
    return int(min(EPOCHS, max(1, VISITS // max(1, n))))


def network_grid(size: int) -> NDArray[np.float64]:
    """Return the penalties to try, the largest first."""
    return np.array(PENALTIES[-size:])


def network_seconds(n: float, p: int, outputs: int) -> float:
    """Return the predicted seconds of the fits at all penalties.

    Parameters
    ----------
    n : float
        Rows of a fit.
    p : int
        Encoded columns.
    outputs : int
        Scores of a row.
    """
    weights = p * HIDDEN[0] + HIDDEN[0] * HIDDEN[1] + HIDDEN[1] * outputs
    return len(PENALTIES) * (0.02 + _epochs(n) * n * (_VISIT + _WEIGHT * weights))


def n_weights(model: Any) -> int:
    """Return how many weights and biases a fitted network has."""
    return sum(int(part.size) for part in (*model.coefs_, *model.intercepts_))
