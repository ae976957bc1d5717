"""A loaded model is a classifier or a regressor for tools that ask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import empirisk as er

pytestmark = pytest.mark.full  # Each makes a whole report first.


@pytest.mark.parametrize("kind", ["words", "numbers"])
def test_loaded_models_are_evaluated(tmp_path: Path, rng: np.random.Generator, kind: str) -> None:
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    score = frame["a"] + 0.5 * rng.normal(size=300)
    frame["y"] = np.where(score > 0.0, "left", "stayed") if kind == "words" else score
    er.report(frame[:200], target="y", models="linear", out=tmp_path / "r", progress=False)
    model = er.load(tmp_path / "r" / "model.empirisk")
    found = er.evaluate(model, frame[200:], frame["y"][200:])
    answers = np.asarray(model.predict(frame[200:]))
    if kind == "words":
        assert found["accuracy"].value == pytest.approx(np.mean(answers == frame["y"][200:]))
        proba = np.asarray(model.predict_proba(frame[200:]))[:, 1]
        right = (frame["y"][200:] == model.classes_[1]).to_numpy()
        assert found["brier_score"].value == pytest.approx(np.mean((proba - right) ** 2))
    else:
        assert found["mse"].value == pytest.approx(np.mean((answers - frame["y"][200:]) ** 2))
