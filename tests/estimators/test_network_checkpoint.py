"""Fits of networks that are interrupted go on from their file with the bits of a fit that was not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

import empirisk as er
from empirisk.estimators.network import run as run_module
from tests.conformance.estimators import data_for, each
from tests.conformance.network_estimators import USES


def interrupted_after(monkeypatch: pytest.MonkeyPatch, epochs: int) -> None:
    """Let the next fit be interrupted after so many epochs."""
    real, calls = run_module.one_epoch, []

    def stopped(*args: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == epochs + 1:
            raise KeyboardInterrupt
        return real(*args, **more)

    monkeypatch.setattr(run_module, "one_epoch", stopped)


def state(est: Any) -> list[np.ndarray]:
    """Return all numbers of a fit that its epochs decide."""
    told = est.validation_loss_
    return [
        *est.coefs_, *est.intercepts_, *est.gains_, est.validation_curve_, *est._run.memory, est.solution_.w,
        np.array([est.loss_, est.n_iter_, est.t_, est.certificate_.value, est.seed_]),
        np.array([] if told is None else [told.value, told.low, told.high], dtype=float),
    ]  # fmt: skip


@each(USES)
@pytest.mark.parametrize("starts", [1, 2])
def test_a_fit_goes_on_with_the_same_bits(
    est: Any, starts: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    d, file = data_for(est, rng), tmp_path / "state"
    est = clone(est).set_params(n_epochs=7, n_init=starts, dropout=0.1)
    wanted = clone(est).fit(d.X, d.y)
    est = est.set_params(checkpoint=file, checkpoint_every=2)
    for epochs in (3, 9):  # in the first start, and where there is one in the second
        with monkeypatch.context() as patch:
            interrupted_after(patch, epochs)
            if epochs == 3 or starts == 2:
                with pytest.raises(KeyboardInterrupt):
                    clone(est).fit(d.X, d.y)
                assert [path.name for path in tmp_path.iterdir()] == ["state"]
    calls, real = [], run_module.one_epoch
    monkeypatch.setattr(run_module, "one_epoch", lambda *a, **k: calls.append(1) or real(*a, **k))
    found = clone(est).fit(d.X, d.y)
    assert len(calls) == 5 if starts == 1 else len(calls) < 7
    for a, b in zip(state(found), state(wanted), strict=True):
        np.testing.assert_array_equal(a, b)
    assert found.certificate_.claim == wanted.certificate_.claim
    assert list(tmp_path.iterdir()) == []  # a fit that is done leaves no file


def test_a_file_of_another_fit_is_refused_by_what_differs(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    X, y, file = rng.normal(size=(30, 3)), rng.integers(0, 2, 30), tmp_path / "state"
    model = er.MLPClassifier(4, n_epochs=5, checkpoint=str(file), checkpoint_every=1)
    with monkeypatch.context() as patch:
        interrupted_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    kept, other = file.read_bytes(), X.copy()
    other[3, 1] += 1e-12
    s = np.ones(30)
    s[7] = 2.0
    for what, given, change in (
        ("other rows", {"X": other, "y": y}, {}),
        ("other targets", {"X": X, "y": 1 - y}, {}),
        ("other weights of rows", {"X": X, "y": y, "sample_weight": s}, {}),
        ("other alpha, hidden", {"X": X, "y": y}, {"alpha": 0.5, "hidden": 5}),
        ("other random_state", {"X": X, "y": y}, {"random_state": 1}),
    ):
        with pytest.raises(ValueError, match=rf"checkpoint: .*state belongs to another fit \({what}\)"):
            clone(model).set_params(**change).fit(**given)
    assert file.read_bytes() == kept
    model.set_params(checkpoint_every=3).fit(X, y)  # how often it is written is no part of the fit
    assert model.n_iter_ == 5


def test_a_warm_start_goes_on_from_the_same_weights_alone(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    X, y, file = rng.normal(size=(30, 3)), rng.normal(size=30), tmp_path / "state"
    model = er.MLPRegressor(4, n_epochs=4, warm_start=True).fit(X, y)
    again = er.MLPRegressor(4, n_epochs=4, warm_start=True).fit(X, y).fit(X, y)
    model.set_params(checkpoint=file, checkpoint_every=1)
    with monkeypatch.context() as patch:
        interrupted_after(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    with pytest.raises(ValueError, match="other first weights"):
        clone(model).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).coefs_[0], again.coefs_[0])


def test_files_that_cannot_be_read_are_refused(rng: np.random.Generator, tmp_path: Path) -> None:
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    (tmp_path / "text").write_text("no state")
    (tmp_path / "half").write_bytes(b"PK\x03\x04 cut")
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    for given, word in (
        (tmp_path / "text", "is damaged or no state of a network"),
        (tmp_path / "half", "is damaged or no state of a network"),
        (tmp_path / "other.npz", "is damaged or no state of a network"),
        (tmp_path, "is a folder; give the name of a file"),
        (tmp_path / "none" / "state", "does not exist; make it first"),
        (3, "checkpoint must be the path of a file or None, got 3"),
        ("", "checkpoint must be the path of a file or None"),
    ):
        with pytest.raises(ValueError, match=word):
            er.MLPRegressor(3, n_epochs=2, checkpoint=given).fit(X, y)
    with pytest.raises(ValueError, match="checkpoint_every must be"):
        er.MLPRegressor(3, n_epochs=2, checkpoint_every=0).fit(X, y)


@each(USES)
def test_a_file_changes_no_bit(est: Any, rng: np.random.Generator, tmp_path: Path) -> None:
    d = data_for(est, rng)
    plain, kept = clone(est).set_params(n_epochs=3), clone(est).set_params(n_epochs=3)
    kept.set_params(checkpoint=tmp_path / "state", checkpoint_every=1)
    for a, b in zip(state(plain.fit(d.X, d.y)), state(kept.fit(d.X, d.y)), strict=True):
        np.testing.assert_array_equal(a, b)
    answer = "predict_proba" if is_classifier(est) else "predict"
    np.testing.assert_array_equal(getattr(plain, answer)(d.X), getattr(kept, answer)(d.X))
