"""Who is measured: one library a file, one row of LIBRARIES each."""

from __future__ import annotations

from bench.solvers import (
    arch,
    blackjax,
    celer,
    discriminants,
    empirisk,
    empirisk_boosting,
    empirisk_curves,
    empirisk_glm,
    empirisk_grid,
    empirisk_groups,
    empirisk_robust,
    empirisk_samplers,
    empirisk_stochastic,
    empirisk_tree_reading,
    empirisk_votes,
    forests,
    gaussian_mixture,
    glum,
    intelex,
    k_medoids,
    kernel_machines,
    kmeans,
    liblinear,
    lightgbm,
    likelihood,
    linkage,
    naive_bayes,
    neighbors,
    networks,
    numpyro,
    reduction,
    scikit_learn,
    scikit_learn_boosting,
    scikit_learn_curves,
    scikit_learn_glm,
    scikit_learn_grid,
    scikit_learn_robust,
    scikit_learn_stochastic,
    scikit_learn_tree_reading,
    scikit_learn_votes,
    scipy_bootstrap,
    single_trees,
    skglm,
    spectral,
    statsmodels,
    torch,
    xgboost,
)
from bench.solvers.base import Solver

LIBRARIES = (
    empirisk, empirisk_curves, empirisk_grid, empirisk_groups, empirisk_glm, empirisk_stochastic,
    scikit_learn, scikit_learn_curves, intelex, celer, skglm, liblinear, scipy_bootstrap, arch,
    linkage, scikit_learn_grid, scikit_learn_glm, glum, statsmodels, scikit_learn_stochastic,
    empirisk_robust, scikit_learn_robust, empirisk_votes, scikit_learn_votes,
    empirisk_boosting, scikit_learn_boosting, lightgbm, xgboost, single_trees, forests,
    empirisk_tree_reading, scikit_learn_tree_reading, kernel_machines, neighbors, gaussian_mixture, k_medoids,
    spectral,
    kmeans,
    reduction,
    networks, torch, empirisk_samplers, blackjax, numpyro, discriminants, naive_bayes, likelihood,
)  # fmt: skip

# Small data are fitted by the same calls as large.
SAME = {"latency_ols": "ols", "latency_lasso": "lasso", "latency_logistic": "softmax"}


def solvers_for(objective: str, columns: int) -> list[Solver]:
    """Ours first, then every peer that minimises this objective at this size."""
    name = SAME.get(objective, objective)
    listed = [solver for library in LIBRARIES for solver in library.SOLVERS.get(name, [])]
    listed.sort(key=lambda solver: solver.library != "empirisk")
    return [solver for solver in listed if columns <= solver.max_columns]
