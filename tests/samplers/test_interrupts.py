"""Runs that are interrupted at any moment return their draws, or say that there are none."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk import _loops
from empirisk.samplers import REGISTRY, FunctionTarget, sample
from empirisk.typing import Array

OPTIONS: dict[str, Any] = {"draws": 12, "warm_up": 20, "random_state": 3}


class Stopping:
    """A standard normal potential that is interrupted at one evaluation."""

    def __init__(self, last: int) -> None:
        self.left = last

    def __call__(self, w: Array) -> tuple[float, Array]:
        """Return U and its gradient, until the number of evaluations is used up."""
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return 0.5 * float(w @ w), w


def drawn(target: Any, **options: Any) -> Any:
    """Return the draws of a run that is interrupted; None where it says that there are none."""
    try:
        return sample(target, **options, **OPTIONS)
    except KeyboardInterrupt as error:
        if "nothing was drawn yet" in str(error):
            return None
        raise AssertionError("the interrupt has no sentence") from error


def evaluations(method: str, chains: int) -> tuple[int, Array]:
    """Return how many evaluations a whole run takes, and its draws."""
    asked = Stopping(10**9)
    found = sample(FunctionTarget(asked, np.zeros(2)), method=method, chains=chains, **OPTIONS)
    return 10**9 - asked.left, found.draws


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("chains", [1, 3])
@pytest.mark.parametrize(
    "method", [name for name, row in REGISTRY.items() if not (row.draws_rows or row.by_blocks)]
)
def test_a_run_interrupted_at_any_evaluation_loses_no_draw(method: str, chains: int) -> None:
    total, whole = evaluations(method, chains)
    lengths = []
    for last in (0, 1, *np.linspace(2, total - 1, 12).astype(int)):
        target = FunctionTarget(Stopping(int(last)), np.zeros(2))
        found = drawn(target, method=method, chains=chains)
        n = 0 if found is None else found.draws.shape[1]
        lengths.append(n)
        if found is None:
            continue
        assert found.interrupted
        assert found.told.shape == (chains, n, 7)
        np.testing.assert_array_equal(found.draws, whole[:, :n])
        assert "interrupted: these are the draws up to then" in found.certificate.claim
        assert "interrupted" in repr(found)
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert lengths[-1] > 0


@pytest.fixture
def default_interrupt() -> Iterator[None]:
    """Interrupts raise KeyboardInterrupt, whatever the program that runs the tests has set."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_interrupt")
@pytest.mark.parametrize("method", ["nuts", "sgld"])
def test_a_signal_in_a_compiled_run_returns_the_draws(
    method: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(40, 2))
    model = er.LogisticRegression(alpha=0.1).fit(X, X[:, 0] + rng.logistic(size=40) > 0.0)
    before = pickle.dumps(model)
    whole = sample(model, method=method, **OPTIONS).draws
    name = "run_minibatches" if REGISTRY[method].draws_rows else "run_chains"
    loop = getattr(_loops, name)
    lengths = []
    for last in range(9):
        calls = iter(range(100))

        def signalled(*args: Any, calls: Any = calls, last: int = last) -> Any:
            if next(calls) == last:
                signal.raise_signal(signal.SIGINT)
            return loop(*args)

        monkeypatch.setattr(_loops, name, signalled)
        found = drawn(model, method=method)
        n = 0 if found is None else found.draws.shape[1]
        lengths.append(n)
        if found is not None:
            np.testing.assert_array_equal(found.draws, whole[:, :n])
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert lengths[-1] > 0
    assert pickle.dumps(model) == before


@pytest.mark.full  # another Python, and a run of a second
def test_a_signal_from_outside_stops_a_long_run() -> None:
    program = textwrap.dedent(
        """
        import signal, threading
        import numpy as np
        import empirisk as er
        signal.signal(signal.SIGINT, signal.default_int_handler)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(2000, 5))
        model = er.LogisticRegression(alpha=0.1).fit(X, X[:, 0] + rng.logistic(size=2000) > 0.0)
        threading.Timer(1.0, signal.raise_signal, [signal.SIGINT]).start()
        found = er.sample(model, draws=10**6, thin=1, warm_up=10)
        print(found.interrupted, 0 < found.draws.shape[1] < 10**6)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.split() == ["True", "True"], done.stderr
