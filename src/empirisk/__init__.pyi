from . import (
    data as data,
    estimators as estimators,
    losses as losses,
    penalties as penalties,
    plots as plots,
    problems as problems,
    report as report,
    results as results,
    selection as selection,
    solvers as solvers,
)
from .estimators import (
    ElasticNet as ElasticNet,
    Lasso as Lasso,
    LinearRegression as LinearRegression,
    LogisticRegression as LogisticRegression,
    Ridge as Ridge,
    path as path,
    verify as verify,
)
from .report.model_file import load as load
from .results import (
    Certificate as Certificate,
    Estimate as Estimate,
    Finding as Finding,
    Kind as Kind,
    Solution as Solution,
    Status as Status,
)
from .selection import compare as compare, cross_evaluate as cross_evaluate, evaluate as evaluate
from .solvers import solve as solve

__version__: str
