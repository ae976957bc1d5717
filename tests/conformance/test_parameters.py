"""Parameters of every estimator and search: refused by name, described as they are, named alike."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.estimators.clusters import REGISTRY as CLUSTERS
from empirisk.estimators.elsewhere import OF_LINEAR
from empirisk.estimators.features import REGISTRY as FEATURES
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.neighbors.neighbors_base import NeighborsBase
from empirisk.estimators.unsupervised import REGISTRY as UNSUPERVISED
from tests.oracles.structure import sections

SEARCHES = {"GridSearch": er.selection.GridSearch, "RandomSearch": er.selection.RandomSearch}
CHOOSERS = {
    "StructuralRiskMinimizer": er.selection.StructuralRiskMinimizer,
    "DictionarySelector": er.selection.DictionarySelector,
}
KINDS = {**REGISTRY, **FEATURES, **CLUSTERS, **UNSUPERVISED, **SEARCHES, **CHOOSERS}


def parameters(kind: type) -> dict[str, inspect.Parameter]:
    """Return the parameters of the constructor, in their order."""
    return dict(inspect.signature(kind).parameters)


def misspelt(name: str) -> str:
    """Two neighbouring letters in the middle exchanged."""
    i = next(i for i in range(len(name) // 2, len(name) - 1) if name[i] != name[i + 1])
    return f"{name[:i]}{name[i + 1]}{name[i]}{name[i + 2 :]}"


def made(kind: type) -> Any:
    """Return an estimator with those arguments that it cannot do without."""
    needed = [p for p in parameters(kind).values() if p.default is p.empty]
    inner: dict[str, Any] = {
        "estimator": er.Ridge(),
        "param_grid": {"alpha": [1.0]},
        "param_distributions": {"alpha": er.selection.LogUniform(0.1, 1.0)},
        "classes": {"stump": er.hypotheses.DecisionStumps()},
    }
    return kind(**{p.name: inner.get(p.name, inner["classes"]) for p in needed})


FOREIGN = ("C", "n_iter", "lambda_", "l1_ratio", "penalty", "solver", "quantile", "copy_X", "eta0", "seed")


@pytest.mark.parametrize("name", KINDS)
def test_names_of_other_libraries_are_answered(name: str) -> None:
    """In the constructor and in set_params; a strength is answered with the alpha to write."""
    kind = KINDS[name]
    own, est = parameters(kind), made(kind)
    for foreign in FOREIGN:
        if foreign in own:
            continue
        with pytest.raises(TypeError, match=rf"^{name} has no ") as built:
            kind(**{foreign: 0.5})
        with pytest.raises(ValueError, match=rf"^{name} has no ") as later:
            est.set_params(**{foreign: 0.5})
        if ": " in str(built.value):
            assert str(built.value) == str(later.value)
        if issubclass(kind, LinearEstimator) and foreign in OF_LINEAR:
            assert f"has no {foreign}: " in str(built.value)
        if foreign == "C" and issubclass(kind, LinearEstimator):
            assert re.search(r"alpha = 1/\(S C\)", str(built.value))
    assert parameters(kind).keys() == own.keys() == clone(est).get_params(deep=False).keys()


def test_a_number_c_is_answered_with_its_alpha() -> None:
    with pytest.raises(TypeError, match=r"C=0\.1 is alpha = 10/S$"):
        er.LogisticRegression(C=0.1)
    with pytest.raises(TypeError, match="it is called q here"):
        er.KernelQuantile(quantile=0.3)


@pytest.mark.parametrize("name", KINDS)
def test_a_misspelt_parameter_is_named_with_the_nearest_one(name: str) -> None:
    kind = KINDS[name]
    est = made(kind)
    for given in parameters(kind):
        if len(given) < 5:
            continue
        wrong = misspelt(given)
        words = rf"^{name} has no parameter '{wrong}', did you mean '{given}'\? It has "
        with pytest.raises(TypeError, match=words):
            kind(**{wrong: 1})
        with pytest.raises(ValueError, match=words):
            est.set_params(**{wrong: 1})
    with pytest.raises(TypeError, match=rf"^{name} has no parameter 'qqqq'\. It has "):
        kind(qqqq=1)


@pytest.mark.parametrize("name", KINDS)
def test_too_many_positions_are_named(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name} takes .* by position, got 99; give the others by name"):
        KINDS[name](*range(99))


def test_names_of_other_libraries_are_translated() -> None:
    for kind in (er.LinearSVC, er.LinearSVR, er.LogisticRegression):
        with pytest.raises(TypeError, match=rf"^{kind.__name__} has no C: give alpha = 1/\(S C\)"):
            kind(C=1.0)
        with pytest.raises(ValueError, match=rf"^{kind.__name__} has no C: give alpha"):
            kind().set_params(C=1.0)


def test_a_wrong_parameter_prints_no_certificate() -> None:
    model = er.Ridge().fit(np.eye(3), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"^Ridge has no parameter 'foo'") as caught:
        model.set_params(foo=1)
    assert model.certificate_.claim not in str(caught.value)
    assert len(str(caught.value)) < 200
    assert model.set_params(alpha=2.0).alpha == 2.0


def test_a_subclass_with_parameters_of_its_own_is_free() -> None:
    class Mine(er.Ridge):
        def __init__(self, alpha: float = 1.0, *, extra: int = 0) -> None:
            super().__init__(alpha)
            self.extra = extra

    class Open(er.Ridge):
        def __init__(self, **anything: Any) -> None:
            super().__init__(**anything)

    assert clone(Mine(2.0, extra=3)).get_params()["extra"] == 3
    assert Open(alpha=2.0).alpha == 2.0
    with pytest.raises(TypeError, match=r"^Mine has no parameter 'exrta', did you mean 'extra'"):
        Mine(exrta=1)


@pytest.mark.parametrize("name", KINDS)
def test_constructors_keep_what_they_are_given(name: str) -> None:
    kind = KINDS[name]
    given = {p: object() for p in parameters(kind)}
    assert vars(kind(**given)) == given


# -- docstrings -----------------------------------------------------------------------------------


def blocks(doc: str, section: str) -> dict[str, tuple[str, str]]:
    """Head line and text of each described name."""
    out: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in sections(doc).get(section, "").splitlines():
        if line and not line[0].isspace():
            names = [n.strip() for n in line.partition(" : ")[0].split(",")]
            out.update(dict.fromkeys(names, (line, "")))
        else:
            out.update({n: (out[n][0], f"{out[n][1]} {line.strip()}".strip()) for n in names})
    return out


@pytest.mark.parametrize("name", KINDS)
def test_docstrings_describe_every_parameter_in_full(name: str) -> None:
    doc = inspect.getdoc(KINDS[name]) or ""
    told = blocks(doc, "Parameters")
    for given, (_, text) in told.items():
        assert text, f"{name}: {given} is listed without a word about it"
        assert not text.startswith("As in :class:"), (
            f"{name}: {given} refers to another class; add @documented(...), so that help() shows its words"
        )
    assert list(told) == [p for p in parameters(KINDS[name]) if p in told], f"{name}: not in their order"


@pytest.mark.parametrize("name", REGISTRY | FEATURES | UNSUPERVISED)
def test_described_defaults_are_those_of_the_signature(name: str) -> None:
    takes = parameters(KINDS[name])
    for given, (head, _) in blocks(inspect.getdoc(KINDS[name]) or "", "Parameters").items():
        default, said = takes[given].default, re.search(r"default (.+)$", head)
        if said is None:
            assert default in (None, inspect.Parameter.empty) or "optional" not in head, f"{name}({given})"
            continue
        read = eval(said.group(1), {})  # our own docstrings
        assert read == default, f"{name}: {given} is described with default {read!r} and has {default!r}"


# -- one name for one thing -----------------------------------------------------------------------

# What the parameter is called here, and what it is called elsewhere.
NAMES = {
    "n_estimators": {"n_rounds", "rounds", "n_trees", "num_trees", "n_members", "n_iter", "iterations"},
    "n_epochs": {"epochs", "max_epochs", "n_passes", "passes"},
    "max_iter": {"max_steps", "n_steps", "max_iterations"},
    "n_jobs": {"n_threads", "threads", "num_threads", "workers", "n_workers", "nthread", "thread_count"},
    "random_state": {"seed", "rng", "random_seed"},
    "alpha": {"C", "lam", "lambda_", "reg", "strength", "regularization"},
    "sample_weight": {"weights", "weight"},
}


@pytest.mark.parametrize("name", REGISTRY | FEATURES | UNSUPERVISED)
def test_one_thing_has_one_name(name: str) -> None:
    for ours, others in NAMES.items():
        found = others & set(parameters(KINDS[name]))
        if issubclass(KINDS[name], NeighborsBase):
            found -= {"weights"}  # of neighbours by their distance, not of rows
        assert not found, f"{name}: {sorted(found)} is called {ours} here"


@pytest.mark.parametrize("name", [n for n, kind in REGISTRY.items() if "l2" in parameters(kind)])
def test_l2_says_its_unit(name: str) -> None:
    _, text = blocks(inspect.getdoc(REGISTRY[name]) or "", "Parameters")["l2"]
    assert "in the unit of the *sum* of the weighted row losses" in text
    assert "alpha = l2 / S" in text


def test_l2_is_so_many_rows_with_target_zero() -> None:
    # One round of one cut from a start at the mean: leaf values sum(r) / (rows + l2).
    X, y = np.repeat([0.0, 1.0], [4, 6])[:, None], np.repeat([5.0, -5.0], [4, 6])
    for l2 in (0.0, 2.0):
        model = er.GradientBoostingRegressor(
            n_estimators=1, learning_rate=1.0, min_samples_leaf=1, l2=l2, early_stopping=False
        ).fit(X, y)
        r = y - y.mean()
        leaf = np.where(X[:, 0] == 0.0, r[:4].sum() / (4 + l2), r[4:].sum() / (6 + l2))
        np.testing.assert_allclose(model.predict(X), y.mean() + leaf, rtol=1e-6)
