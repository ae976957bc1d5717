"""The model file: round trip, tampering, damage, versions, synthetic rows."""

from __future__ import annotations

import io
import json
import os
import pickletools
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import skops.io as sio
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import empirisk as er
from empirisk.report.errors import DataError
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from empirisk.report.saved.model_file import ModelFile, ModelFileError, load, read_metadata
from empirisk.report.saved.probes import draw_probes
from empirisk.report.saved.unpack import checksum
from tests.report.reports import make_report, numbers, two_classes


@pytest.fixture(scope="module")
def made(classes_made: Path) -> Path:
    return classes_made


@pytest.fixture(scope="module")
def model(made: Path) -> ModelFile:
    return load(made / "out" / "model.empirisk")


def unpack(path: Path) -> tuple[dict[str, Any], bytes]:
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("metadata.json")), archive.read("model.skops")


def pack(path: Path, metadata: dict[str, Any], dump: bytes, **more: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata.json", json.dumps(metadata))
        archive.writestr("model.skops", dump)
        for name, data in more.items():
            archive.writestr(name, data)
    return path


def signed(metadata: dict[str, Any], dump: bytes) -> dict[str, Any]:
    """What an attacker does: make the checksum fit."""
    return metadata | {"sha256": checksum(metadata, dump)}


def test_predictions_survive_the_file(made: Path, model: ModelFile) -> None:
    table = model.read(made / "table.csv")
    shares = model.predict_proba(table)
    assert shares.shape == (240, 2)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert model.classes == ["no", "yes"]
    assert list(model.predict(table)) == ["yes" if p > 0.5 else "no" for p in shares[:, 1]]
    again = er.load(made / "out" / "model.empirisk").predict_proba(made / "table.csv")
    assert np.array_equal(shares, again)


def test_probabilities_are_those_of_the_stored_coefficients(made: Path, model: ModelFile) -> None:
    """The logistic function by hand, from the coefficients in original units that report.json prints."""
    report = json.loads((made / "out" / "report.json").read_text())
    terms = {c["term"]: c["value"]["value"] for c in report["model"]["coefficients"]}
    frame = two_classes().filter(pl.col("age").is_not_null())
    score = np.full(frame.height, terms["(intercept)"])
    for term, w in terms.items():
        if term in ("age", "noise"):
            score += w * frame[term].to_numpy()
        elif term.startswith("town"):
            score += w * (frame["town"] == term.split(" = ")[1]).to_numpy()
    rows = np.flatnonzero(two_classes()["age"].is_not_null().to_numpy())
    found = model.predict_proba(made / "table.csv")[rows, 1]
    assert np.allclose(found, 1.0 / (1.0 + np.exp(-score)), atol=1e-9)


def test_file_holds_no_pickle_and_no_solver(made: Path) -> None:
    _, dump = unpack(made / "out" / "model.empirisk")
    with zipfile.ZipFile(io.BytesIO(dump)) as inner:
        for name in inner.namelist():
            assert not name.endswith((".pkl", ".pickle", ".joblib"))
            if not name.endswith((".json", ".npy")):
                with pytest.raises(ValueError, match=r"opcode|exhausted"):
                    list(pickletools.genops(inner.read(name)))
    foreign = [t for t in sio.get_untrusted_types(data=dump) if not t.startswith("numpy.dtype")]
    assert foreign == ["empirisk.estimators.linear.glm.LogisticRegression"]


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (FunctionTransformer(func=os.system), "system"),
        (FunctionTransformer(func=eval), "eval"),
        (FunctionTransformer(func=er.report.read.read_table), "read_table"),
        (FunctionTransformer(kw_args={"a": Path("x")}), "Path"),
        (FunctionTransformer(kw_args={"a": er.Status.FLOOR}), "Status"),
    ],
)
def test_foreign_types_are_refused_by_name(made: Path, tmp_path: Path, step: Any, name: str) -> None:
    metadata, _ = unpack(made / "out" / "model.empirisk")
    dump = sio.dumps(Pipeline([("bad", step), ("model", er.Ridge())]))
    bad = pack(tmp_path / "bad.empirisk", signed(metadata, dump), dump)
    with pytest.raises(
        ModelFileError, match=r"bad\.empirisk is refused: it holds .*only types of scikit-learn"
    ) as e:
        load(bad)
    assert name in str(e.value)


def test_a_module_of_ours_opens_no_door_to_others(made: Path, tmp_path: Path) -> None:
    """A name such as empirisk.report.atomic.os must not pass for a type of ours."""
    metadata, dump = unpack(made / "out" / "model.empirisk")
    for target in ("os", "Path", "contextmanager", "write_file"):
        with zipfile.ZipFile(io.BytesIO(dump)) as inner:
            schema = json.loads(inner.read("schema.json"))
            rest = {n: inner.read(n) for n in inner.namelist() if n != "schema.json"}
        text = json.dumps(schema).replace("empirisk.estimators.linear.glm", "empirisk.report.atomic")
        text = text.replace('"LogisticRegression"', f'"{target}"')
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as inner:
            inner.writestr("schema.json", text)
            for n, data in rest.items():
                inner.writestr(n, data)
        bad = pack(tmp_path / "bad.empirisk", signed(metadata, out.getvalue()), out.getvalue())
        with pytest.raises(ModelFileError, match="refused"):
            load(bad)


def test_changed_dump_is_told_by_its_checksum(made: Path, tmp_path: Path) -> None:
    metadata, dump = unpack(made / "out" / "model.empirisk")
    with pytest.raises(ModelFileError, match="checksum"):
        load(pack(tmp_path / "m.empirisk", metadata, dump[:-1] + bytes([dump[-1] ^ 1])))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.999])
def test_truncated_file_gives_a_sentence(made: Path, tmp_path: Path, share: float) -> None:
    whole = (made / "out" / "model.empirisk").read_bytes()
    short = tmp_path / "short.empirisk"
    short.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ModelFileError, match=r"short\.empirisk is damaged or is not an empirisk model file"):
        load(short)


def test_flipped_bytes_never_load_silently_wrong(
    made: Path, tmp_path: Path, model: ModelFile, rng: np.random.Generator
) -> None:
    whole = (made / "out" / "model.empirisk").read_bytes()
    right = model.predict_proba(made / "table.csv")
    refused = 0
    for spot in rng.integers(0, len(whole), size=60):
        broken = bytearray(whole)
        broken[spot] ^= 0xFF
        file = tmp_path / "flip.empirisk"
        file.write_bytes(bytes(broken))
        found = predicted_or_refused(file, made / "table.csv")
        refused += isinstance(found, str)
        if isinstance(found, str):
            assert "\n" not in found
        else:  # a byte that nothing reads, such as a time stamp of the archive
            assert np.array_equal(found, right)
    assert refused >= 50


def predicted_or_refused(file: Path, data: Path) -> np.ndarray | str:
    try:
        return load(file).predict_proba(data)
    except DataError as error:
        return str(error)


def test_other_files_are_refused(made: Path, tmp_path: Path) -> None:
    metadata, dump = unpack(made / "out" / "model.empirisk")
    with pytest.raises(ModelFileError, match="it holds extra"):
        load(pack(tmp_path / "a.empirisk", metadata, dump, extra=b"1"))
    with pytest.raises(ModelFileError, match="'empirisk-model/9'"):
        load(pack(tmp_path / "b.empirisk", metadata | {"format": "empirisk-model/9"}, dump))
    with pytest.raises(ModelFileError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(ModelFileError, match="does not exist"):
        load(tmp_path / "none.empirisk")
    with pytest.raises(ModelFileError, match="damaged or is not"):
        load(made / "table.csv")


def test_wrong_probe_prediction_is_a_hard_error_that_names_versions(made: Path, tmp_path: Path) -> None:
    metadata, dump = unpack(made / "out" / "model.empirisk")
    metadata["probes"]["expected"][7][0] += 1e-3
    metadata["versions"]["numpy"] = "0.9"
    with pytest.raises(ModelFileError, match=r"stored predictions on 20 check rows.*numpy 0\.9 then and "):
        load(pack(tmp_path / "m.empirisk", signed(metadata, dump), dump))


def test_other_versions_with_the_same_predictions_load(made: Path, tmp_path: Path) -> None:
    metadata, dump = unpack(made / "out" / "model.empirisk")
    metadata["versions"]["numpy"] = "0.9"
    assert load(pack(tmp_path / "m.empirisk", signed(metadata, dump), dump)).classes == ["no", "yes"]


def test_probe_rows_are_no_rows_of_the_data(made: Path) -> None:
    rows = read_metadata(made / "out" / "model.empirisk")["probes"]["rows"]
    frame = two_classes()
    real = set(zip(*(frame[c].to_list() for c in ("age", "noise", "town")), strict=True))
    probes = list(zip(*(rows[c] for c in ("age", "noise", "town")), strict=True))
    assert len(probes) == 20
    assert not real & set(probes)
    ages = [v for v in rows["age"] if v is not None]
    low, high = frame["age"].min(), frame["age"].max()
    assert low < min(ages)  # type: ignore[operator]
    assert max(ages) < high  # type: ignore[operator]


def test_rare_levels_do_not_travel_in_probes() -> None:
    frame = pl.DataFrame({"c": ["common"] * 100 + ["the only one"] * 4})
    drawn = set(draw_probes(frame, seed=0, n=500)["c"])
    assert drawn == {"common"}
    assert set(draw_probes(frame.tail(4), n=5)["c"]) == {"(none of the levels)"}


def test_probes_follow_the_columns_one_by_one(rng: np.random.Generator) -> None:
    x = rng.exponential(size=4000)
    frame = pl.DataFrame({"x": x, "twin": x, "holes": np.where(rng.random(4000) < 0.3, np.nan, x)})
    drawn = draw_probes(frame, seed=3, n=4000)
    assert abs(np.corrcoef(drawn["x"], drawn["twin"])[0, 1]) < 0.06  # columns are independent of one another
    assert np.quantile(drawn["x"], 0.5) == pytest.approx(np.quantile(x, 0.5), rel=0.08)
    assert 0.25 < drawn["holes"].is_nan().mean() < 0.35


def test_metadata_holds_decisions_metrics_and_certificate(made: Path) -> None:
    metadata = read_metadata(made / "out" / "model.empirisk")
    report = json.loads((made / "out" / "report.json").read_text())
    assert metadata["metrics"] == report["test"]["metrics"]
    assert metadata["certificate"] == report["model"]["certificate"]
    assert metadata["certificate"]["verified"] is True
    assert metadata["fingerprint"] == report["provenance"]["fingerprint"]
    assert {"numpy", "scikit-learn", "empirisk", "python"} <= set(metadata["versions"])


@pytest.mark.full  # a report of its own; classes are looked at in the quick suite
def test_regression_file(numbers_made: Path) -> None:
    model = load(numbers_made / "out" / "model.empirisk")
    predicted = model.predict(numbers_made / "table.csv")
    assert np.mean((predicted - numbers()["y"].to_numpy()) ** 2) < 1.3
    with pytest.raises(ModelFileError, match="predicts a number"):
        model.predict_proba(numbers_made / "table.csv")


@pytest.mark.parametrize("models", [pytest.param("linear", marks=pytest.mark.full), "tree"])
def test_predicted_probabilities_have_the_log_loss_of_the_report(tmp_path: Path, models: str) -> None:
    """Of the constant (noise, a class of two rows that the test lacks) and of a pure tree, by hand."""
    rng = np.random.default_rng(0)
    x, word = rng.normal(size=120), rng.choice(["poor", "good"], 120)
    if models == "tree":
        word = np.where(x > 0.0, "good", "poor")
    else:
        word[[10, 60]] = "rare"
    frame = pl.DataFrame({"x": x, "z": rng.normal(size=120), "label": word})
    report = make_report(tmp_path, frame, "label", models=models).report
    loaded = load(tmp_path / "out" / "model.empirisk")
    table = read_table(tmp_path / "table.csv", like=loaded.table)
    held = split_rows(table, seed=int(loaded.metadata["split"]["seed"])).test
    at = [loaded.classes.index(c) for c in word[held]]
    loss = -np.mean(np.log(loaded.predict_proba(table)[held, at]))
    stored = next(m for m in report["test"]["metrics"] if m["name"] == "log_loss")
    assert report["model"]["name"] == {"linear": "baseline", "tree": "tree"}[models]
    assert loss == pytest.approx(stored["model"]["value"], rel=1e-9)
