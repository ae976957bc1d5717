"""Draws in the form of ArviZ, for its plots and checks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["inference_data"]


def inference_data(draws: Any) -> Any:
    """Return draws as ArviZ's InferenceData: the parameters, and what each transition told under ArviZ's
    names.

    What a sampler does not know (energies without momenta, U of batches) is left out.

    Parameters
    ----------
    draws : Draws
    """
    try:
        arviz: Any = import_module("arviz")
    except ImportError as error:
        raise ImportError("to_arviz needs arviz: pip install 'empirisk[bayes]'") from error
    posterior = {name: draws.draws[:, :, j] for j, name in enumerate(draws.names)}
    told = draws.told
    stats = {
        "acceptance_rate": told[:, :, 0],
        "n_steps": told[:, :, 1],
        "tree_depth": told[:, :, 2].astype(np.int64),
        "diverging": told[:, :, 3] > 0.0,
        "lp": -told[:, :, 4],
        "step_size": told[:, :, 5],
        "energy": told[:, :, 6],
    }
    known = {name: values for name, values in stats.items() if not np.isnan(values).all()}
    groups = {"posterior": posterior, "sample_stats": known}
    try:
        return arviz.from_dict(**groups)
    except TypeError:  # from its version 1 on the groups are one dictionary
        return arviz.from_dict(groups)
