"""Networks trained by PyTorch: the path of the compiled loop in all settings, and refusals without it."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import empirisk as er
from empirisk.estimators.network import torch_epochs
from empirisk.optimizers import REGISTRY as RULES
from empirisk.problems.activations import REGISTRY as ACTIVATIONS
from empirisk.problems.normalizations import REGISTRY as NORMALIZATIONS
from empirisk.results import Status

TRAINED = [name for name, f in ACTIVATIONS.items() if f().differentiable]
STEPPED = [name for name, rule in RULES.items() if hasattr(rule, "usual_size")]
SETTINGS: list[dict[str, Any]] = [
    *({"optimizer": name, "clip": 0.5} for name in STEPPED),
    *({"activation": name, "hidden": (6, 4)} for name in TRAINED),
    *({"normalization": name, "hidden": (6, 4), "batch_size": 29} for name in NORMALIZATIONS),
    {"dropout": 0.4, "hidden": (6, 4), "normalization": "layer", "random_state": 2**63 + 5},
    {"alpha": 0.02, "l1_ratio": 0.7},
    {"early_stopping": True, "patience": 2, "n_epochs": 40, "step": 0.05},
    {"schedule": "cosine", "n_init": 2, "standardise": False},
]


@pytest.fixture
def torch() -> Any:
    """Give PyTorch, on one thread; skip the test where it is not installed."""
    found = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'empirisk[torch]'")
    before = found.get_num_threads()
    found.set_num_threads(1)
    yield found
    found.set_num_threads(before)


def weights(model: Any) -> np.ndarray:
    parts = [*model.coefs_, *model.intercepts_, *model.gains_]
    return np.concatenate([np.ravel(part) for part in parts])


def table(rng: np.random.Generator, n: int = 88) -> tuple[Any, Any, Any]:
    X = rng.normal(size=(n, 4)) * [1.0, 10.0, 0.1, 1.0]
    return X, rng.integers(0, 3, n), rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
def test_the_path_is_that_of_the_compiled_loop(
    setting: dict[str, Any], torch: Any, rng: np.random.Generator
) -> None:
    X, y, s = table(rng)
    settings = {"hidden": 6, "n_epochs": 6, "batch_size": 30, **setting}
    ours = er.MLPClassifier(**settings).fit(X, y, sample_weight=s)
    theirs = er.MLPClassifier(device="cpu-torch", **settings).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(weights(theirs), weights(ours), rtol=1e-9, atol=1e-11)
    assert theirs.t_ == ours.t_
    assert theirs.n_iter_ == ours.n_iter_
    # What is claimed comes from the problem, at the weights of each.
    assert theirs.certificate_.value == pytest.approx(ours.certificate_.value, rel=1e-6)
    assert er.verify(theirs, X, y, sample_weight=s).kind is theirs.certificate_.kind
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("loss", ["half_squared", "huber", "quantile", "poisson"])
def test_losses_of_numbers_and_columns_of_targets(loss: str, torch: Any, rng: np.random.Generator) -> None:
    X, y, _ = table(rng)
    Y = np.column_stack([y, 2 * y]).astype(float)
    ours = er.MLPRegressor(5, loss=loss, n_epochs=5, batch_size=30).fit(X, Y)
    theirs = clone(ours).set_params(device="cpu-torch").fit(X, Y)
    np.testing.assert_allclose(weights(theirs), weights(ours), rtol=1e-9, atol=1e-11)


def test_sparse_rows_float32_and_streams(torch: Any, rng: np.random.Generator) -> None:
    X, y, _ = table(rng)
    X *= rng.random(X.shape) < 0.4
    model = er.MLPClassifier(5, n_epochs=4, batch_size=30)
    there = clone(model).set_params(device="cpu-torch")
    for kind in (sp.csr_array, sp.csc_array):
        np.testing.assert_allclose(
            weights(there.fit(kind(X), y)), weights(model.fit(kind(X), y)), rtol=1e-9, atol=1e-11
        )
    small = X.astype(np.float32)
    assert there.fit(small, y).coefs_[0].dtype == np.float32
    np.testing.assert_allclose(weights(there), weights(model.fit(small, y)), rtol=1e-3, atol=1e-5)
    ours, theirs = clone(model), clone(there)
    for _ in range(3):
        ours.partial_fit(X, y, classes=[0, 1, 2])
        theirs.partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_allclose(weights(theirs), weights(ours), rtol=1e-9, atol=1e-11)
    with pytest.raises(ValueError, match="a stream of rows goes on with the same hidden layers"):
        theirs.set_params(hidden=9).partial_fit(X, y)


def test_steps_that_are_too_long_are_told_alike(torch: Any, rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    notes = []
    for device in ("cpu", "cpu-torch"):
        with pytest.warns(UserWarning, match="not finite"):
            model = er.MLPRegressor((10, 10), optimizer="gradient_step", step=1e8, device=device).fit(X, y)
        assert model.solution_.status is Status.DIVERGED
        notes.append(model.solution_.note)
    assert notes[0] == notes[1]


def test_all_that_can_be_trained_has_a_form(torch: Any) -> None:
    assert set(torch_epochs._bends(torch)) == set(TRAINED), "add the activation to torch_epochs.py"
    assert set(torch_epochs._moves(torch)) == set(STEPPED), "add the update rule to torch_epochs.py"
    assert set(torch_epochs._norms(torch)) == set(NORMALIZATIONS), "add the normalization to torch_epochs.py"


def test_a_missing_processor_is_refused(torch: Any, rng: np.random.Generator) -> None:
    X, y, _ = table(rng)
    device = f"cuda:{torch.cuda.device_count()}"
    with pytest.raises(
        ValueError, match=rf"device='{device}' is a graphics processor of NVIDIA.*device='cpu'"
    ):
        er.MLPClassifier(device=device).fit(X, y)


def test_rows_that_the_device_has_no_room_for_are_refused(
    torch: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, _ = table(rng)

    def full(*args: Any, **more: Any) -> Any:
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setattr(torch, "tensor", full)
    with pytest.raises(MemoryError, match="X has 2,816 bytes, more than device='cpu-torch' has free"):
        er.MLPClassifier(device="cpu-torch").fit(X, y)


def test_without_pytorch_it_is_said_what_to_install(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, _ = table(rng)
    real = importlib.import_module

    def missing(name: str, *more: Any) -> Any:
        if name == "torch":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", missing)
    model = er.MLPClassifier(device="cuda")
    with pytest.raises(ImportError, match=r"device='cuda' needs PyTorch: pip install 'empirisk\[torch\]'"):
        model.fit(X, y)
    assert not hasattr(model, "coefs_")


@pytest.mark.parametrize("device", ["gpu", "mps", "cuda:", "cuda:x", None])
def test_devices_are_refused_by_name(device: Any, rng: np.random.Generator) -> None:
    X, y, _ = table(rng)
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda', 'cuda:1' and so on, or 'cpu-torch'"):
        er.MLPClassifier(device=device).fit(X, y)
