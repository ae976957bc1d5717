"""What other libraries call a parameter, and what to write here instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["C_IS_ALPHA_OF_MEAN", "OF_LINEAR", "strength_of", "under_another_name"]

# Names of other libraries, and the parameters that may stand for them here, the first that exists.
CALLED = {
    "n_iter": ("max_iter", "n_epochs", "n_estimators"),
    "max_iter": ("n_epochs", "n_estimators"),
    "epochs": ("n_epochs", "max_iter"),
    "num_iterations": ("n_estimators", "max_iter"),
    "lambda_": ("alpha", "l2"),
    "reg_lambda": ("l2", "alpha"),
    "reg_alpha": ("alpha",),
    "quantile": ("q",),
    "eta0": ("step",),
    "learning_rate": ("step",),
    "learning_rate_init": ("step",),
    "seed": ("random_state",),
    "k": ("n_neighbors", "n_clusters", "n_components"),
    "max_leaf_nodes": ("max_leaves",),
}

C_IS_ALPHA_OF_MEAN = (
    "C multiplies the sum of the losses, alpha the penalty beside their weighted mean: give "
    "alpha = 1/(S C), S the sum of the weights (number of rows); alpha='1/n' is C = 1 where alpha takes it"
)
OF_LINEAR = {
    "C": C_IS_ALPHA_OF_MEAN,
    "penalty": (
        "its kind of penalty is l1_ratio where it has one (0 is L2, 1 is L1, between them elastic net) and "
        "fixed by the class elsewhere (er.Ridge L2, er.Lasso L1); alpha is the strength, 0 none; "
        "er.PenalizedRegressor takes any penalty"
    ),
    "l1_ratio": (
        "its penalty is of one kind; er.ElasticNet, er.LogisticRegression and er.PenalizedRegressor mix "
        "L1 and L2"
    ),
    "solver": "there is one way to fit it; what it claims is in certificate_",
    "copy_X": "X is never changed, and not copied where that is not needed",
    "normalize": "the result does not depend on it here but for a penalty: standardise X in a Pipeline",
    "dual": "the solver chooses between the two; solution_.dual holds dual values where there are some",
}


def under_another_name(name: str, names: Sequence[str]) -> str:
    """Return the sentence that says what a parameter is called here; empty where nothing stands for it.

    Examples
    --------
    >>> under_another_name("n_iter", ("alpha", "max_iter"))
    'it is called max_iter here'
    """
    for called in CALLED.get(name, ()):
        if called in names:
            return f"it is called {called} here{_STRENGTH if called == 'alpha' else ''}"
    return ""


_STRENGTH = (
    ", the strength beside the mean loss (docs/maths/conventions.md has the factors of other libraries)"
)


def strength_of(name: str, value: Any) -> str:
    """Return the alpha that a number C is, to stand behind the sentence; empty for anything else.

    Examples
    --------
    >>> strength_of("C", 0.5)
    '; C=0.5 is alpha = 2/S'
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"; C={value:g} is alpha = {1.0 / value:.6g}/S" if name == "C" and number and value > 0 else ""
