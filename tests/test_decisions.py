"""No file outside a noun's folder decides by the name or the class of one of its objects."""

from __future__ import annotations

import pytest

from tests.oracles.decisions import decisions_in
from tests.oracles.structure import PACKAGE

FILES = sorted(PACKAGE.rglob("*.py"))

THEOREM = "the rate of a theorem about this one algorithm, with the conditions of its paper"
WORD = "a word of the user for more than an object: its parameters are arguments or come from the rows"
KEYS = "keys of report.json"
OWN = "names of another kind of thing, which happen to be the same"

# (file, what it decides by): why it may.  A row whose decision is gone fails.
ALLOWED: dict[tuple[str, str], str] = {
    ("curves/convergence.py", "isinstance(solver, GradientDescent)"): THEOREM,
    ("estimators/linear/generalized.py", "self.family == 'tweedie'"): "the one family that has a power",
    ("curves/convergence.py", "isinstance(solver, Subgradient)"): THEOREM,
    ("report/fit/tuning.py", "{'mse': 2.0, 'log_loss': 1.0}"): "multiples of the losses that boosting lowers",
    (
        "report/fit/tuning.py",
        "self.metric.name in GROWN_BY",
    ): "boosting tells its training loss in its own loss",
    ("curves/convergence.py", "solver.name == 'fista'"): THEOREM,
    ("curves/convergence.py", "solver.name == 'sgd'"): THEOREM,
    ("estimators/bayes/bayesian_glm.py", "self.family not in APPROXIMATED"): "families of which integrals "
    "over a normal score are known",
    (
        "estimators/network/torch_epochs.py",
        "{'adadelta': adadelta, 'adagrad': adagrad, 'adam': adam, 'adamw': adam, 'gradient_step': lambda "
        "rule, size,...",
    ): "the update rules in PyTorch; a test says which lacks its form",
    (
        "estimators/naive_bayes/mixed.py",
        "{'gaussian': 'a number', 'poisson': 'a whole number >= 0', 'multinomial': 'a number >= 0', "
        "'bernoulli': '0 ...",
    ): OWN,
    (
        "estimators/naive_bayes/mixed.py",
        "{'poisson': _PoissonColumns, 'multinomial': MultinomialNB, 'bernoulli': BernoulliNB, "
        "'categorical': Categor...",
    ): OWN,
    (
        "evaluation/conformal/scores/__init__.py",
        "{'absolute': Absolute, 'normalized': Normalized, 'quantile': Quantile, 'lac': LeastAmbiguous, "
        "'aps': Adaptive}",
    ): OWN,
    (
        "estimators/linear/families.py",
        "{'gaussian': _family('power', 'identity', lambda power, a: HalfSquared(), ('log', "
        "'inverse', 'sqrt')), 'bin...",
    ): "the menu of families and links",
    (
        "estimators/linear/families.py",
        "{'logit': _shares, 'probit': lambda power, a: Bernoulli(Probit()), 'cloglog': lambda "
        "power, a: Bernoulli(CL...",
    ): "the menu of families and links",
    ("estimators/linear/families.py", "family not in FAMILIES"): "the menu of families and links",
    ("estimators/linear/generalized.py", "self.family != 'negative_binomial'"): WORD,
    (
        "estimators/likelihood/two_part_base.py",
        "{'poisson': False, 'negative_binomial': True}",
    ): WORD,
    (
        "estimators/likelihood/two_part_base.py",
        "self.family not in FAMILIES",
    ): WORD,
    (
        "estimators/likelihood/two_part_base.py",
        "self.family == 'negative_binomial'",
    ): WORD,
    (
        "estimators/likelihood/two_part_base.py",
        "{'poisson': 'Poisson', 'negative_binomial': 'negative binomial'}",
    ): WORD,
    (
        "estimators/linear/quantile_lines.py",
        "self.solver not in ('auto', 'interior_point')",
    ): WORD,
    (
        "evaluation/pictures/confusion.py",
        "{'labels': list(classes), 'counts': counts.tolist(), 'threshold': 0.5 if k == 2 "
        "else None, 'recall': [estim...",
    ): "keys of a table, not metrics",
    (
        "evaluation/threshold.py",
        "{'cut': list(self.cuts), 'cost': list(self.costs), 'precision': list(self.precis"
        "ion), 'recall': list(self.r...",
    ): "keys of a table, not metrics",
    ("estimators/trees/boosting_losses.py", "loss == 'tweedie'"): WORD,
    ("estimators/trees/boosting_regressor.py", "self.loss != 'quantile'"): WORD,
    (
        "evaluation/intervals/__init__.py",
        "{'wilson': wilson, 'clopper_pearson': clopper_pearson, 'hall': hall, 'student': student, "
        "'f1': f1_interval,...",
    ): OWN,
    ("ladder/losses.py", "loss == 'absolute'"): OWN,
    ("ladder/prepare.py", "loss not in ('auto', 'zero_one')"): OWN,
    (
        "report/fit/families.py",
        "{'poisson': PoissonRegressor, 'gamma': GammaRegressor, 'tweedie': TweedieRegressor}",
    ): "the estimators of the report's families",
    (
        "report/fit/families.py",
        "{'poisson': Family('poisson', 'Poisson regression', 1.0, 'poisson_deviance', 'it holds counts "
        "(whole number...",
    ): "the registry of the report's families",
    (
        "report/sections/test/shapes.py",
        "{'labels': strings, 'counts': list_of(numbers), 'threshold': nullable(number), 'recall': "
        "nullable(list_of(e...",
    ): KEYS,
    ("resampling/bootstrap/choose.py", "ask.name == 'quantile'"): OWN,
    (
        "resampling/parametric/models.py",
        "{'bernoulli': lambda theta, u: (u > 1.0 - theta).astype(np.float64), 'gaussian': lambda theta, u: "
        "theta + s...",
    ): OWN,
    (
        "resampling/parametric/models.py",
        "{'bernoulli': ('lie in [0, 1]', lambda t: (t >= 0.0) & (t <= 1.0)), 'uniform': ('be positive', "
        "lambda t: t ...",
    ): OWN,
    (
        "report/sections/candidates/section.py",
        "metric != 'mse'",
    ): "words about the metric that judges a family",
    ("resampling/replace_one.py", "metric.name != 'log_loss'"): THEOREM,
    (
        "solvers/stochastic_rows.py",
        "{'l1': np.append(of.l1 * unit, rest) if of.l1 > 0.0 else None, 'l2': np.append(of.l2 * unit ** 2, "
        "rest) if ...",
    ): "arguments of a loop",
}


def test_what_an_object_can_do_is_asked_of_it() -> None:
    found = [d for file in FILES for d in decisions_in(file)]
    stray = [str(d) for d in found if (d.file, d.code) not in ALLOWED]
    assert not stray, (
        "decisions by the name or class of a registered object; let the object answer (an attribute or a "
        "method of its contract, tested in tests/conformance), or add a row to ALLOWED that says why:\n"
        + "\n".join(stray)
    )
    gone = ALLOWED.keys() - {(d.file, d.code) for d in found}
    assert not gone, f"delete these rows of ALLOWED: nothing decides so any more: {sorted(gone)}"


WRONG = {
    "name": 'loss.name == "hinge"',
    "names": 'self.loss.name not in ("hinge", "logistic")',
    "constant": "loss.name in KNOWN",
    "alias": 'name == "hinge"',
    "chosen word": 'self.loss == "hinge"',
    "class": "isinstance(loss, Hinge)",
    "classes": "isinstance(loss, Hinge | Logistic)",
    "tuple": "issubclass(kind, PAIR)",
    "wrapper": "isinstance(loss, Offset)",
    "type": "type(loss) is Hinge",
    "attribute": "isinstance(loss, losses.Hinge)",
    "penalty": "isinstance(penalty, L1)",
    "table": '{"hinge": 1, "logistic": 2}',
    "table of classes": "{Hinge: 1, Logistic: 2}",
    "set": '{"hinge", "logistic"}',
}
RIGHT = {
    "asked": "loss.quadratic",
    "contract": "isinstance(loss, ScalarLoss)",
    "another's name": 'column.name == "age"',
    "menu": '{"hinge": Hinge, "logistic": lambda: Logistic()}',
    "menu of several": '{"hinge": lambda: (Hinge(),), "logistic": lambda: [Logistic() for _ in levels]}',
    "looked up": "REGISTRY[self.loss]",
    "no noun": 'word == "hinge"',
}
HEAD = """
from empirisk import losses
from empirisk.losses import Hinge, Logistic, Offset
from empirisk.losses.base import ScalarLoss
from empirisk.penalties import L1
KNOWN = frozenset(["hinge"])
PAIR = (Hinge, Logistic)
name = loss.name
"""


@pytest.mark.parametrize("code", WRONG.values(), ids=WRONG)
def test_a_decision_is_seen(code: str) -> None:
    found = decisions_in(PACKAGE / "solvers" / "new.py", f"{HEAD}thing = {code}\n")
    assert [d for d in found if d.line == HEAD.count("\n") + 1], f"not seen: {code}"


@pytest.mark.parametrize("code", RIGHT.values(), ids=RIGHT)
def test_a_question_is_none(code: str) -> None:
    found = decisions_in(PACKAGE / "solvers" / "new.py", f"{HEAD}thing = {code}\n")
    assert not [d for d in found if d.line == HEAD.count("\n") + 1], f"mistaken: {found}"


def test_the_folder_of_the_noun_is_its_home() -> None:
    code = f"{HEAD}thing = isinstance(loss, Hinge)\n"
    assert not [d for d in decisions_in(PACKAGE / "losses" / "new.py", code) if d.noun == "losses"]


def test_matches_are_seen() -> None:
    code = "match loss.name:\n    case 'hinge' | 'logistic':\n        pass\n"
    assert decisions_in(PACKAGE / "solvers" / "new.py", code)
