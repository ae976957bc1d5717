"""Every copy-me file works: registered like any other object, the conformance tests run over it."""

from __future__ import annotations

import doctest
import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import empirisk as er
from tests.oracles import skeletons

ROOT = Path(__file__).parents[1]
PYTHON = sorted(p.stem for p in skeletons.FOLDER.glob("*.py"))


@pytest.mark.full
@pytest.mark.parametrize(
    ("folder", "file", "thing", "tests", "name"),
    [
        ("losses", "loss", "LogCosh", "test_loss_contract", "log_cosh"),
        ("penalties", "penalty", "NonNegativeL2", "test_penalty_contract", "non_negative_l2"),
        ("optimizers", "update_rule", "SignStep", "test_optimizers", "sign_step"),
        ("samplers", "sampler", "OneLeap", "test_samplers", "one_leap"),
        ("solvers", "solver", "AcceleratedGradient", "test_solvers", "accelerated_gradient"),
        ("hypotheses", "hypothesis", "LeftRays", "test_hypotheses", "LeftRays"),
    ],
)
def test_registered_skeleton_passes_the_conformance_tests(
    folder: str, file: str, thing: str, tests: str, name: str
) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.oracles.skeletons",
        "-p",
        "no:cacheprovider",
    ]
    run = subprocess.run(
        [*command, f"tests/conformance/{tests}.py", "-k", name],
        cwd=ROOT,
        env={**os.environ, "EMPIRISK_SKELETON": f"{folder}/{file}/{thing}"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout


def test_an_unregistered_loss_would_be_seen(tmp_path: Path) -> None:
    """The structure test finds a copied file without its registry row."""
    from types import ModuleType

    from tests.test_structure import NOUNS, members, registered

    folder = ModuleType("copied_losses")
    folder.__path__ = [str(tmp_path)]
    shutil.copy(skeletons.FOLDER / "loss.py", tmp_path / "log_cosh.py")
    sys.modules["copied_losses"] = folder
    try:
        found = members(folder, next(b for n, _, b in NOUNS if n == "losses"))
    finally:
        del sys.modules["copied_losses"]
    assert list(found) == ["log_cosh.LogCosh"]
    assert found["log_cosh.LogCosh"][0] not in registered(er.losses, "REGISTRY")


@pytest.mark.parametrize("name", PYTHON)
def test_examples_of_the_skeletons(name: str) -> None:
    module = skeletons.load(name)
    assert module.__doc__
    assert "Copy" in module.__doc__
    failed, _ = doctest.testmod(module, extraglobs={"np": np, "er": er})
    assert failed == 0


def test_estimator_skeleton(rng: np.random.Generator) -> None:
    make = skeletons.load("estimator").NonNegativeRidge
    check_estimator(make())
    X = rng.normal(size=(50, 4))
    y = X @ [1.0, -1.0, 2.0, 0.0] + rng.normal(size=50)
    ours, theirs = make(alpha=0.1).fit(X, y), er.Ridge(alpha=0.1, positive=True).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert (ours.coef_ >= 0.0).all()
    assert er.verify(ours, X, y).within(1e-6)


def test_kernel_skeleton(rng: np.random.Generator) -> None:
    kernel, X = skeletons.load("kernel").Cauchy(1.3), rng.normal(size=(30, 3))
    assert er.kernels.check_psd(kernel, X).holds
    up, down = (kernel.with_parameters(length_scale=1.3 * np.exp(h)).block(X) for h in (1e-5, -1e-5))
    np.testing.assert_allclose(kernel.derivatives(X)[0], (up - down) / 2e-5, atol=1e-8)
    assert er.SVC(kernel=kernel).fit(X, X[:, 0] > 0.0).certificate_.within(1e-6)


def test_distribution_skeleton_passes_the_conformance_tests() -> None:
    from tests.conformance import test_distributions as contract

    make = skeletons.load("distribution").Rayleigh
    law, other = make(1.7), make(0.6)
    checks = [f for name, f in vars(contract).items() if name.startswith("test_") and callable(f)]
    for check in checks:
        names = inspect.signature(check).parameters
        if "law" in names:
            known = {"law": law, "other": other, "weighted": True}
            if check is not contract.test_laws_are_values:  # it asks for a row of the registry
                check(**{name: known[name] for name in names})


def test_bound_skeleton_holds_as_often_as_it_says(rng: np.random.Generator) -> None:
    cantelli = skeletons.load("bound").held_out_cantelli
    risk, delta, failures = 0.1, 0.2, 0
    for _ in range(2000):
        failures += cantelli((rng.random(100) < risk).astype(float), delta).value < risk
    assert failures / 2000 <= delta
    assert cantelli(np.ones(5)).vacuous
    with pytest.raises(ValueError, match="row 1"):
        cantelli(np.array([0.5, 1.5]))


@pytest.mark.full  # simulated
def test_finding_skeleton_false_alarms_and_power(rng: np.random.Generator) -> None:
    from sklearn.dummy import DummyRegressor

    from empirisk.diagnosis import Answer, Outcome, context

    find = skeletons.load("finding").shifted_columns

    def answer(shift: float) -> Answer:
        X, later = rng.normal(size=(80, 3)), rng.normal(loc=[0.0, shift, 0.0], size=(60, 3))
        return find(context(DummyRegressor(), X, X[:, 0], X_test=later))

    alarms = np.mean([answer(0.0).outcome is Outcome.FIRES for _ in range(300)])
    assert alarms <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
    found = answer(1.5)
    assert (found.outcome, found.where, found.code) == (Outcome.FIRES, ("x1",), "ER299")


def test_plot_skeleton_draws() -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    curve: dict[str, Any] = {"x": [0.0, 1.0, 2.0, 3.0], "value": [0.1, 0.4, 0.7, 0.9], "n": 1200}
    curve |= {"low": [0.05, 0.35, 0.65, 0.85], "high": [0.15, 0.45, 0.75, 0.95]}
    chart = skeletons.load("plot").ErrorsDisplay(curve, "years")
    ax = chart.plot().axes
    assert ax.get_title(loc="left") == "Half of the rows have an error of at most 2 years"
    assert "1,200 test rows" in chart.description
    assert ax.get_xlabel() == "size of the error (years)"


LOOP_PROGRAM = r"""
#define EMPIRISK_ISA baseline
#include "loop.hpp"
#include <cstdio>
int main() {
  using namespace empirisk;
  const float x[6] = {1, 2, 3, 4, 5, 6};
  const double s[3] = {1, 0, 2};
  double out[2];
  baseline::column_squares(DenseView<float>{x, 3, 2, 2, 1}, s, out);
  std::printf("%g %g", out[0], out[1]);
}
"""


@pytest.mark.full
def test_loop_skeleton_compiles_and_computes(tmp_path: Path) -> None:
    compiler = next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), None)
    if compiler is None:
        pytest.skip("no C++ compiler to compile the loop skeleton with")
    (tmp_path / "main.cpp").write_text(LOOP_PROGRAM)
    program = tmp_path / "main"
    includes = [f"-I{ROOT / 'cpp'}", f"-I{skeletons.FOLDER}"]
    source = str(tmp_path / "main.cpp")
    command = [compiler, "-std=c++20", "-O1", *includes, source, "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    run = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    # The NumPy twin: s @ X**2.
    expected = np.array([1.0, 0.0, 2.0]) @ np.arange(1.0, 7.0).reshape(3, 2) ** 2
    assert run.stdout == f"{expected[0]:g} {expected[1]:g}"
