"""What is minimised: one objective a file, one row of REGISTRY each; ROWS pairs them with data."""

from __future__ import annotations

from dataclasses import dataclass

from bench.limit import Work
from bench.objectives.adaboost import AdaBoost
from bench.objectives.base import Objective
from bench.objectives.boosting import OBJECTIVES as BOOSTING
from bench.objectives.bootstrap import (
    BootstrapCorrelation,
    BootstrapMean,
    BootstrapMedian,
    BootstrapRegression,
)
from bench.objectives.components import OBJECTIVES as COMPONENTS
from bench.objectives.connected import ConnectedHeight
from bench.objectives.discriminant import OBJECTIVES as DISCRIMINANTS
from bench.objectives.forest import OBJECTIVES as FORESTS
from bench.objectives.gaussian_mixture import OBJECTIVES as MIXTURES
from bench.objectives.glm import Gamma, Poisson
from bench.objectives.grid import OBJECTIVES as GRIDS
from bench.objectives.grid_svc import MachineGrid
from bench.objectives.group_lasso import GroupLasso, GroupLogistic
from bench.objectives.held_out import OBJECTIVES as HELD_OUT
from bench.objectives.k_medoids import OBJECTIVES as MEDOIDS
from bench.objectives.kernel_machine import KernelMachine
from bench.objectives.kernel_ridge import KernelRidgeRegression
from bench.objectives.kmeans import OBJECTIVES as KMEANS
from bench.objectives.l1_logistic import L1Logistic
from bench.objectives.langevin import OBJECTIVES as LANGEVIN
from bench.objectives.lasso import Lasso
from bench.objectives.lasso_path import LassoPath
from bench.objectives.latency import SmallLasso, SmallLogistic, SmallOLS
from bench.objectives.likelihood import OBJECTIVES as LIKELIHOODS
from bench.objectives.limits import READ_ONCE, WHY, WORK
from bench.objectives.linkage import OBJECTIVES as LINKAGES
from bench.objectives.logistic import Logistic
from bench.objectives.naive_bayes import OBJECTIVES as NAIVE_BAYES
from bench.objectives.nearest import OBJECTIVES as NEAREST
from bench.objectives.network import OBJECTIVES as NETWORKS
from bench.objectives.ols import OLS
from bench.objectives.posterior import OBJECTIVES as POSTERIORS
from bench.objectives.projection import Projected
from bench.objectives.ridge import Ridge
from bench.objectives.ridge_loo import RidgeLOO
from bench.objectives.robust import HuberRegression, QuantileRegression
from bench.objectives.single_tree import OBJECTIVES as TREES
from bench.objectives.softmax import Softmax
from bench.objectives.sparse_softmax import OBJECTIVES as SPARSE_SOFTMAX
from bench.objectives.spectral import OBJECTIVES as SPECTRAL
from bench.objectives.stochastic import OBJECTIVES as STOCHASTIC
from bench.objectives.svm import Hinge, SquaredHinge
from bench.objectives.tree_reading import OBJECTIVES as TREE_READING

REGISTRY: dict[str, Objective] = {
    o.name: o
    for o in (
        OLS(), Ridge(), RidgeLOO(), Lasso(), LassoPath(), Logistic(), L1Logistic(), Softmax(),
        *SPARSE_SOFTMAX,
        Hinge(), SquaredHinge(), KernelMachine(), KernelRidgeRegression(), MachineGrid(), *NEAREST, *MIXTURES,
        Poisson(), Gamma(), GroupLasso(), GroupLogistic(), QuantileRegression(), HuberRegression(),
        SmallOLS(), SmallLasso(), SmallLogistic(), *LINKAGES, ConnectedHeight(),
        BootstrapMean(), BootstrapMedian(), BootstrapCorrelation(), BootstrapRegression(), *HELD_OUT, *GRIDS,
        *STOCHASTIC, AdaBoost(), *BOOSTING, *TREES, *FORESTS, *TREE_READING, *MEDOIDS,
        *SPECTRAL,
        *KMEANS,
        *COMPONENTS, Projected(),
        *NETWORKS, *LANGEVIN, *POSTERIORS, *DISCRIMINANTS, *NAIVE_BAYES, *LIKELIHOODS,
    )
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """An objective on a data set; `work` is the least that it takes, `why` the reason where ours is far from
    that.
    """

    objective: str
    dataset: str

    @property
    def work(self) -> Work:
        """What must be read and multiplied at least."""
        return WORK.get(self.objective, READ_ONCE)

    @property
    def why(self) -> str:
        """Why ours takes more than three times its limit, where it does."""
        return WHY.get(self.objective, "")

    @property
    def name(self) -> str:
        """The name of the row in the table."""
        return f"{self.objective}, {self.dataset}"


def in_both(objective: str, kind: str, size: str) -> tuple[Row, Row]:
    """Return an objective on rows in float64 and on rows in float32."""
    return Row(objective, f"{kind} {size}"), Row(objective, f"{kind} float32 {size}")


ROWS = [
    Row("ols", "dense 1e6x50"),
    Row("ols", "dense 1e5x500"),
    Row("ridge", "dense 1e5x200"),
    Row("ridge", "wide 500x20000"),
    Row("ridge_loo", "dense 2e4x200"),
    Row("lasso", "wide 1000x50000"),
    Row("lasso_path", "wide 1000x50000"),
    Row("lasso", "sparse 2e4x1e5"),
    Row("lasso_path", "sparse 2e4x1e5"),
    Row("logistic", "classes 1e6x50"),
    Row("logistic", "classes 2e4x2000"),
    Row("logistic", "sparse classes 1e5x1e5"),
    Row("softmax", "ten classes 60000x784"),
    Row("l1_logistic", "classes 2e4x2000"),
    Row("l1_softmax", "seven classes 5e4x50"),
    Row("l1_softmax", "hundred classes 2e4x50"),
    Row("elastic_net_softmax", "seven classes 5e4x50"),
    Row("elastic_net_softmax", "hundred classes 2e4x50"),
    Row("group_lasso", "groups 2000x20000"),
    Row("group_logistic", "grouped classes 2000x20000"),
    Row("quantile", "heavy tails 1e5x20"),
    Row("huber", "heavy tails 1e5x20"),
    Row("huber", "heavy tails 5e5x50"),
    Row("poisson", "counts 5e5x50"),
    Row("gamma", "durations 5e5x50"),
    Row("svm_hinge", "classes 2e5x100"),
    Row("svm_squared_hinge", "classes 2e5x100"),
    Row("svm_hinge", "sparse classes 1e5x1e5"),
    Row("svm_squared_hinge", "sparse classes 1e5x1e5"),
    Row("svc_rbf", "classes 1e4x50"),
    Row("svc_rbf", "classes 2e4x50"),
    Row("svc_rbf", "adult one-hot 32561"),
    Row("grid_svc", "classes 2000x20"),
    Row("kernel_ridge", "dense 5000x20"),
    Row("kernel_ridge", "dense 2e4x20"),
    *in_both("components", "factors", "1e5x500"),
    *in_both("components_wide", "factors", "1000x1e5"),
    *in_both("components_sparse", "sparse counts", "1e5x1e5"),
    *in_both("projection", "factors", "1e4x1e5"),
    Row("nearest_brute", "points 1e5x64"),
    Row("nearest_brute_float32", "points float32 1e5x64"),
    Row("nearest_tree", "points 1e6x3"),
    *in_both("linkage_single", "points", "2e4x16"),
    *in_both("linkage_single", "points", "1e5x2"),
    *in_both("linkage_ward", "points", "2e4x16"),
    Row("linkage_ward", "points 1e5x16"),
    *in_both("linkage_average", "points", "2e4x16"),
    *in_both("linkage_complete", "points", "2e4x16"),
    Row("linkage_connected", "points 2e4x16"),
    *in_both("gmm_full", "groups", "1e5x16"),
    *in_both("gmm_4_starts", "groups", "1e5x16"),
    Row("sgd_logistic", "classes 1e6x50"),
    Row("rough_logistic", "classes 1e6x50"),
    Row("sgd_defaults", "classes 3000x20"),
    Row("adaboost", "spheres 1e5x30"),
    Row("tree", "interactions 2e5x30"),
    Row("shallow_tree", "interactions 1e6x10"),
    Row("forest", "interactions 1e5x30"),
    Row("extra_trees", "interactions 1e5x30"),
    Row("boosting", "interactions 1e6x28"),
    Row("boosting", "interactions 2000x20"),
    Row("boosting_categories", "adult 30000x14"),
    Row("boosting_classes", "7 classes 50000x30"),
    Row("boosting_many_classes", "100 classes 20000x30"),
    Row("predict_boosting", "interactions 1e6x28"),
    Row("predict_forest", "interactions 1e6x28"),
    Row("tree_shap", "interactions 1e4x28"),
    Row("latency_ols", "diabetes"),
    Row("latency_lasso", "diabetes"),
    Row("latency_logistic", "iris"),
    Row("latency_logistic", "breast cancer"),
    Row("latency_logistic", "digits"),
    Row("one_out_ridge", "diabetes"),
    Row("one_out_kernel_ridge", "diabetes"),
    Row("one_out_neighbors", "diabetes"),
    Row("learning_curve", "diabetes"),
    Row("grid_ridge", "dense 2e4x200"),
    Row("grid_lasso", "dense 2e4x200"),
    Row("grid_logistic", "classes 2e4x100"),
    *in_both("spectral", "blobs", "1e4x10"),
    *in_both("neighbor_graph", "blobs", "1e4x10"),
    *in_both("k_medoids", "blobs", "5000x16"),
    Row("k_medoids_given", "distances of blobs 5000x16"),
    *in_both("kmeans_20_steps", "clouds", "1e6x32"),
    *in_both("kmeans_converged", "clouds", "1e5x64"),
    *in_both("kmeans_seeding", "clouds", "1e6x32"),
    *in_both("kmeans_seeding", "clouds", "1e5x64"),
    *in_both("kmeans_4_starts", "clouds", "1e5x32"),
    *in_both("mini_batches", "clouds", "1e5x32"),
    *in_both("mlp_epoch", "images", "60000x784"),
    Row("latency_mlp", "digits"),
    Row("latency_mlp", "float32 digits"),
    *in_both("sgld", "classes", "1e5x50"),
    *in_both("sgld_plain", "classes", "1e5x50"),
    *in_both("nuts_logistic", "classes", "1e4x50"),
    *in_both("hmc_logistic", "classes", "1e4x50"),
    Row("nuts_kidiq", "kidiq"),
    Row("nuts_kilpisjarvi", "kilpisjarvi"),
    Row("hmc_kidiq", "kidiq"),
    Row("hmc_kilpisjarvi", "kilpisjarvi"),
    *in_both("lda", "gaussian classes", "1e6x50"),
    *in_both("qda", "gaussian classes", "1e6x50"),
    *in_both("multinomial_nb", "documents", "1e5x5e4"),
    *in_both("bernoulli_nb", "documents", "1e5x5e4"),
    Row("mle_gamma", "waiting 1e6"),
    Row("mle_negative_binomial", "claims 1e6"),
    Row("bootstrap_mean", "skewed 1e4x3"),
    Row("bootstrap_median", "skewed 1e4x3"),
    Row("bootstrap_correlation", "skewed 1e4x3"),
    Row("bootstrap_regression", "skewed 1e4x3"),
]
