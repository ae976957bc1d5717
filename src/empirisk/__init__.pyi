from . import (
    bounds as bounds,
)
from . import (
    clustering as clustering,
)
from . import (
    codings as codings,
)
from . import (
    convex as convex,
)
from . import (
    data as data,
)
from . import (
    diagnosis as diagnosis,
)
from . import (
    distributions as distributions,
)
from . import (
    estimators as estimators,
)
from . import (
    graphs as graphs,
)
from . import (
    hypotheses as hypotheses,
)
from . import (
    inference as inference,
)
from . import (
    kernels as kernels,
)
from . import (
    linear_theory as linear_theory,
)
from . import (
    losses as losses,
)
from . import (
    mixtures as mixtures,
)
from . import (
    optimizers as optimizers,
)
from . import (
    partitions as partitions,
)
from . import (
    penalties as penalties,
)
from . import (
    plots as plots,
)
from . import (
    problems as problems,
)
from . import (
    results as results,
)
from . import (
    samplers as samplers,
)
from . import (
    selection as selection,
)
from . import (
    solvers as solvers,
)
from .bounds.johnson_lindenstrauss import johnson_lindenstrauss_dim as johnson_lindenstrauss_dim
from .curves.convergence import convergence as convergence
from .diagnosis.diagnose import diagnose as diagnose
from .distributions.divergence import kl as kl
from .distributions.exponential_family import ExponentialFamily as ExponentialFamily
from .distributions.fit import fit_mle as fit_mle
from .distributions.goodness import goodness_of_fit as goodness_of_fit
from .distributions.map_fit import fit_map as fit_map
from .distributions.moments_fit import fit_moments as fit_moments
from .estimators import (
    SVC as SVC,
)
from .estimators import (
    SVR as SVR,
)
from .estimators import (
    AdaBoostClassifier as AdaBoostClassifier,
)
from .estimators import (
    AdaBoostRegressor as AdaBoostRegressor,
)
from .estimators import (
    BaggingClassifier as BaggingClassifier,
)
from .estimators import (
    BaggingRegressor as BaggingRegressor,
)
from .estimators import (
    BayesClassifier as BayesClassifier,
)
from .estimators import (
    BayesianGLM as BayesianGLM,
)
from .estimators import (
    BayesianLinearRegression as BayesianLinearRegression,
)
from .estimators import (
    BernoulliNB as BernoulliNB,
)
from .estimators import (
    CategoricalNB as CategoricalNB,
)
from .estimators import (
    ConditionalLogit as ConditionalLogit,
)
from .estimators import (
    ConstrainedRegressor as ConstrainedRegressor,
)
from .estimators import (
    DecisionTreeClassifier as DecisionTreeClassifier,
)
from .estimators import (
    DecisionTreeRegressor as DecisionTreeRegressor,
)
from .estimators import (
    ElasticNet as ElasticNet,
)
from .estimators import (
    ExtraTreesClassifier as ExtraTreesClassifier,
)
from .estimators import (
    ExtraTreesRegressor as ExtraTreesRegressor,
)
from .estimators import (
    FormulaModel as FormulaModel,
)
from .estimators import (
    GammaRegressor as GammaRegressor,
)
from .estimators import (
    GaussianNB as GaussianNB,
)
from .estimators import (
    GaussianProcessClassifier as GaussianProcessClassifier,
)
from .estimators import (
    GaussianProcessRegressor as GaussianProcessRegressor,
)
from .estimators import (
    GeneralizedLinearModel as GeneralizedLinearModel,
)
from .estimators import (
    GradientBoostingClassifier as GradientBoostingClassifier,
)
from .estimators import (
    GradientBoostingRegressor as GradientBoostingRegressor,
)
from .estimators import (
    HalfspaceClassifier as HalfspaceClassifier,
)
from .estimators import (
    HuberRegressor as HuberRegressor,
)
from .estimators import (
    HurdleRegressor as HurdleRegressor,
)
from .estimators import (
    KernelLogisticRegression as KernelLogisticRegression,
)
from .estimators import (
    KernelQuantile as KernelQuantile,
)
from .estimators import (
    KernelRidge as KernelRidge,
)
from .estimators import (
    KernelSGDClassifier as KernelSGDClassifier,
)
from .estimators import (
    KernelSmoother as KernelSmoother,
)
from .estimators import (
    KNeighborsClassifier as KNeighborsClassifier,
)
from .estimators import (
    KNeighborsRegressor as KNeighborsRegressor,
)
from .estimators import (
    Lasso as Lasso,
)
from .estimators import (
    LeastAbsoluteDeviations as LeastAbsoluteDeviations,
)
from .estimators import (
    LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
)
from .estimators import (
    LinearRegression as LinearRegression,
)
from .estimators import (
    LinearSVC as LinearSVC,
)
from .estimators import (
    LinearSVR as LinearSVR,
)
from .estimators import (
    LogisticRegression as LogisticRegression,
)
from .estimators import (
    MixedNB as MixedNB,
)
from .estimators import (
    MLPClassifier as MLPClassifier,
)
from .estimators import (
    MLPRegressor as MLPRegressor,
)
from .estimators import (
    MultinomialNB as MultinomialNB,
)
from .estimators import (
    NetworkGraph as NetworkGraph,
)
from .estimators import (
    OrderedLogit as OrderedLogit,
)
from .estimators import (
    PenalizedRegressor as PenalizedRegressor,
)
from .estimators import (
    Perceptron as Perceptron,
)
from .estimators import (
    PlugInClassifier as PlugInClassifier,
)
from .estimators import (
    PoissonRegressor as PoissonRegressor,
)
from .estimators import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from .estimators import (
    QuantileRegressor as QuantileRegressor,
)
from .estimators import (
    RandomForestClassifier as RandomForestClassifier,
)
from .estimators import (
    RandomForestRegressor as RandomForestRegressor,
)
from .estimators import (
    RegressionMixture as RegressionMixture,
)
from .estimators import (
    Ridge as Ridge,
)
from .estimators import (
    SGDClassifier as SGDClassifier,
)
from .estimators import (
    SGDRegressor as SGDRegressor,
)
from .estimators import (
    TweedieRegressor as TweedieRegressor,
)
from .estimators import (
    ZeroInflatedRegressor as ZeroInflatedRegressor,
)
from .estimators import (
    equivalent_constraint as equivalent_constraint,
)
from .estimators import (
    export_text as export_text,
)
from .estimators import (
    formula as formula,
)
from .estimators import (
    kneighbors_graph as kneighbors_graph,
)
from .estimators import (
    path as path,
)
from .estimators import (
    radius_graph as radius_graph,
)
from .estimators import (
    verify as verify,
)
from .estimators.clusters import AgglomerativeClustering as AgglomerativeClustering
from .estimators.clusters import DivisiveClustering as DivisiveClustering
from .estimators.clusters import GaussianMixture as GaussianMixture
from .estimators.clusters import KMeans as KMeans
from .estimators.clusters import KMedoids as KMedoids
from .estimators.clusters import MiniBatchKMeans as MiniBatchKMeans
from .estimators.clusters import Mixture as Mixture
from .estimators.clusters import SpectralClustering as SpectralClustering
from .estimators.features import PCA as PCA
from .estimators.features import FourierFeatures as FourierFeatures
from .estimators.features import KernelPCA as KernelPCA
from .estimators.features import Nystroem as Nystroem
from .estimators.features import OrthogonalPolynomials as OrthogonalPolynomials
from .estimators.features import RandomFourierFeatures as RandomFourierFeatures
from .estimators.features import RandomProjection as RandomProjection
from .estimators.features import RandomReluFeatures as RandomReluFeatures
from .estimators.features import polynomial_regression as polynomial_regression
from .estimators.unsupervised import KernelDensity as KernelDensity
from .estimators.unsupervised import NearestNeighbors as NearestNeighbors
from .estimators.unsupervised import OneClassSVM as OneClassSVM
from .explanations.anova import anova as anova
from .explanations.decision_regions import decision_regions as decision_regions
from .explanations.interaction_strength import interaction_strength as interaction_strength
from .explanations.kernel_matrix import kernel_matrix as kernel_matrix
from .explanations.margins import margins as margins
from .explanations.partial_dependence import partial_dependence as partial_dependence
from .explanations.regression_table import regression_table as regression_table
from .explanations.tree_shap import tree_shap as tree_shap
from .partitions.choose_k import choose_k as choose_k
from .partitions.compare import compare_partitions as compare_partitions
from .problems import LatentProblem as LatentProblem
from .report import report as report
from .report.saved.model_file import load as load
from .resampling.bootstrap import bootstrap as bootstrap
from .resampling.no_free_lunch import no_free_lunch as no_free_lunch
from .resampling.parametric import estimators_risk as estimators_risk
from .results import (
    Certificate as Certificate,
)
from .results import (
    Estimate as Estimate,
)
from .results import (
    Finding as Finding,
)
from .results import (
    Kind as Kind,
)
from .results import (
    Solution as Solution,
)
from .results import (
    Status as Status,
)
from .samplers import sample as sample
from .search.post_selection import debiased_lasso as debiased_lasso
from .search.post_selection import likelihood_ratio as likelihood_ratio
from .search.post_selection import split_sample_inference as split_sample_inference
from .selection import bayes_error_bracket as bayes_error_bracket
from .selection import compare as compare
from .selection import conformalize as conformalize
from .selection import cross_evaluate as cross_evaluate
from .selection import evaluate as evaluate
from .selection import risk_bounds as risk_bounds
from .selection import tune as tune
from .solvers import expectation_maximization as expectation_maximization
from .solvers import solve as solve

__version__: str
