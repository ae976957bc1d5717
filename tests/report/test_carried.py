"""Exposures and weights of the rows of a table: their columns, fits, scores, files and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import PoissonRegressor as Peer
from typer.testing import CliRunner

import empirisk as er
from empirisk.cli import app
from empirisk.report.errors import DataError
from empirisk.report.fit.encode import model_frame
from empirisk.report.read.read import read_table
from empirisk.report.sections.model.importance import importances, predicted_move

N = 240
RNG = np.random.default_rng(4)
FRAME = pl.DataFrame(
    {
        "age": RNG.uniform(20.0, 80.0, N).round(1),
        "smoker": RNG.choice(["yes", "no"], N),
        "years": RNG.gamma(2.0, 2.0, N).round(3) + 0.1,
        "w": RNG.integers(1, 5, N),
    }
)
RATE = np.exp(-2.0 + 0.03 * (FRAME["age"].to_numpy() - 50.0) + 0.5 * (FRAME["smoker"] == "yes").to_numpy())
FRAME = FRAME.with_columns(
    claims=pl.Series(RNG.poisson(RATE * FRAME["years"].to_numpy())),
    ill=pl.Series(np.where(RNG.random(N) < RATE / (1.0 + RATE), "yes", "no")),
)
COUNTS = FRAME.drop("ill")


def call(*words: object) -> tuple[int, str, str]:
    """Return the exit code, what was printed, and the errors of a command."""
    result = CliRunner().invoke(app, [str(w) for w in words])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def rates() -> Any:
    """A report on counts over years, whose rows have weights."""
    return er.report(COUNTS, "claims", exposure="years", weight="w", models="linear", progress=False)


def changed(column: str, row: int, value: Any) -> pl.DataFrame:
    """Return the table with another value in one cell."""
    values = COUNTS[column].to_list()
    values[row] = value
    return COUNTS.with_columns(pl.Series(column, values, strict=False))


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        (
            changed("years", 6, 0.0),
            {"exposure": "years"},
            r"row 7, column 'years' \(--exposure\): the value is 0",
        ),
        (
            changed("years", 6, -1.5),
            {"exposure": "years"},
            "row 7, column 'years' .* is -1.5, and it must be a",
        ),
        (changed("years", 6, None), {"exposure": "years"}, "row 7, column 'years' .* the value is missing"),
        (changed("w", 3, -2), {"weight": "w"}, r"row 4, column 'w' \(--weight\): the value is -2"),
        (changed("w", 3, None), {"weight": "w"}, "row 4, column 'w' .* the value is missing"),
        (
            COUNTS,
            {"exposure": "smoker"},
            "column 'smoker' .* holds boolean values, .* a number above 0|'smoker'",
        ),
        (COUNTS.with_columns(z=pl.lit(0.0)), {"weight": "z"}, "column 'z' .* is 0 in all rows"),
        (COUNTS, {"exposure": "yers"}, "no column 'yers' .* did you mean 'years'"),
        (
            COUNTS,
            {"exposure": "w", "weight": "w"},
            "'w' is given by --weight and cannot be given by --exposure",
        ),
        (COUNTS, {"weight": "claims"}, "'claims' is the target"),
        (COUNTS, {"exposure": "years", "task": "binary"}, "--task binary asks for classes"),
        (changed("claims", 2, -1), {"exposure": "years"}, "row 3, column 'claims': -1 cannot be counted"),
    ],
)
def test_bad_columns_are_named_by_column_and_row(
    frame: pl.DataFrame, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        read_table(frame, target="claims", **options)


def test_words_are_no_amounts_and_rows_without_a_target_do_not_count() -> None:
    words = COUNTS.with_columns(pl.Series("place", RNG.choice(["north", "south", "east"], N)))
    with pytest.raises(DataError, match=r"'place' \(--weight\) holds categorical values such as"):
        read_table(words, target="claims", weight="place")
    blank = changed("years", 5, 0.0).with_columns(
        pl.when(pl.int_range(pl.len()) == 5).then(None).otherwise(pl.col("claims")).alias("claims")
    )
    table = read_table(blank, target="claims", exposure="years")
    assert table.n_rows == N - 1
    assert table.features == ["age", "smoker", "w"]


@pytest.mark.full(reason="a whole report")
def test_the_report_says_what_rows_carry(rates: Any) -> None:
    task = rates.json["task"]
    assert (task["exposure"], task["weight"]) == ("years", "w")
    assert task["sentence"] == (
        "Predict the number claims at the exposure years of each row from 2 columns of the frame; rows "
        "count by w."
    )
    handling = " ".join(rates.json["data"]["handling"])
    assert "Rates are per unit of column 'years'" in handling
    assert "Every row counts by column 'w'" in handling
    assert any(
        "lasso" in c["label"].lower() and "it takes no exposure" in c["reason"]
        for c in rates.json["selection"]["left_out"]
    ), rates.json["selection"]
    assert {c["name"] for c in rates.json["candidates"]} == {"baseline", "poisson_l1", "poisson_l2"}
    roles = {c["name"]: c["role"] for c in rates.json["data"]["columns"]}
    assert (roles["years"], roles["w"]) == ("exposure", "weight")
    assert rates.json["selection"]["metric"] == "poisson_deviance"
    assert rates.json["absent"]["learning_curve"].startswith("Learning curves count every row once")


@pytest.mark.full(reason="a whole report")
def test_coefficients_are_those_of_a_peer_on_rates(rates: Any) -> None:
    """A Poisson fit with exposure e and weights w is the fit of the rates y / e with the weights w e."""
    model = rates.model.pipeline[-1]
    table = read_table(COUNTS, target="claims", exposure="years", weight="w")
    X = rates.model.pipeline[:-1].transform(model_frame(table))
    rows = _training_rows(rates, table)
    y, e, w = (COUNTS[name].to_numpy()[rows] for name in ("claims", "years", "w"))
    if model.l1_ratio:
        pytest.skip("the peer has no L1 penalty")
    # The peer divides by the sum of its weights w e, and this fit by the sum of w.
    alpha = model.alpha * w.sum() / (w @ e)
    peer = Peer(alpha=alpha, tol=1e-9, max_iter=1000).fit(X[rows], y / e, sample_weight=w * e)
    assert model.coef_ == pytest.approx(peer.coef_, rel=1e-4, abs=1e-5)


@pytest.mark.full(reason="a whole report")
def test_the_model_file_takes_exposures_from_the_frame_or_by_name(rates: Any) -> None:
    model = rates.model
    assert model.exposure == "years"
    own = model.predict(COUNTS)
    assert model.predict(COUNTS.drop("years", "w"), exposure=COUNTS["years"].to_numpy()) == pytest.approx(own)
    rate = model.predict(COUNTS.drop("years"), exposure=1.0)
    assert own == pytest.approx(rate * COUNTS["years"].to_numpy())
    assert model.predictions(COUNTS)["prediction"].to_list() == pytest.approx(own.tolist())
    with pytest.raises(
        DataError, match="lacks the column 'years', the exposure that the model was fitted with"
    ):
        model.predict(COUNTS.drop("years"))
    y = COUNTS["claims"].to_numpy()
    plain = er.evaluate(model, COUNTS, y, metrics="mse")["mse"].value
    assert plain == pytest.approx(np.mean((y - own) ** 2))  # the column of the frame is found
    told = er.evaluate(model, COUNTS.drop("years"), y, metrics="mse", exposure=COUNTS["years"].to_numpy())
    assert told["mse"].value == pytest.approx(plain)
    with pytest.raises(DataError, match="row 7, column 'years'"):
        model.predict(changed("years", 6, 0.0))
    with pytest.raises(ValueError, match="exposure must be finite and > 0, got 0 in row 0"):
        model.predict(COUNTS, exposure=0.0)
    assert model.predict(changed("w", 3, -2)) == pytest.approx(own)  # weights do not move predictions


@pytest.mark.full(reason="a whole report")
def test_commands_take_exposures_and_weights(tmp_path: Path) -> None:
    data, out = tmp_path / "table.csv", tmp_path / "out"
    COUNTS.write_csv(data)
    COUNTS.drop("years").write_csv(tmp_path / "bare.csv")
    words = ("--exposure", "years", "--weight", "w", "--models", "linear", "--out", out, "--quiet")
    code, _, err = call("report", data, "--target", "claims", *words)
    assert code == 0, err
    model, rows = out / "model.empirisk", tmp_path / "rows.csv"
    assert call("predict", model, data, "--out", rows)[0] == 0
    code, _, err = call("predict", model, tmp_path / "bare.csv", "--out", rows)
    assert (code, "lacks the column 'years'" in err) == (2, True)
    assert (
        call("predict", model, tmp_path / "bare.csv", "--out", tmp_path / "one.csv", "--exposure", 1)[0] == 0
    )
    rate = pl.read_csv(tmp_path / "one.csv")["prediction"].to_numpy()
    assert pl.read_csv(rows)["prediction"].to_numpy() == pytest.approx(rate * COUNTS["years"].to_numpy())
    code, said, err = call("verify", model, data)
    assert (code, "Fit proved again" in said) == (0, True), err
    code, _, err = call("verify", model, tmp_path / "bare.csv")
    assert (code, "lacks the column 'years'" in err) == (2, True)
    COUNTS.drop("w").write_csv(tmp_path / "even.csv")
    assert "which count alike without the column 'w'" in call("verify", model, tmp_path / "even.csv")[1]
    assert "Rates are per unit of column 'years'" in call("inspect", model)[1]
    assert "--exposure years --weight w" in (out / "report.md").read_text()


@pytest.mark.full(reason="a whole report")
def test_a_report_on_classes_counts_rows_by_their_weights() -> None:
    frame = FRAME.drop("claims", "years")
    found = er.report(frame, "ill", weight="w", models="linear,tree", progress=False)
    assert found.json["task"]["weight"] == "w"
    assert found.json["test"]["confusion"] is not None
    assert found.json["test"]["scores"] is None
    assert not found.json["failed"]
    counts = np.array(found.json["test"]["confusion"]["counts"])
    assert counts.sum() == pytest.approx(found.json["test"]["n_rows"])


def test_importances_of_weighted_rows_are_those_of_repeated_rows() -> None:
    """Over many shuffles the value comes near the mean over all pairs of receiver and donor."""
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(40, 2)), rng.integers(1, 4, size=40).astype(float)
    y = x[:, 0] + 0.1 * rng.normal(size=40)
    every = np.arange(40)

    def asked(Z, rows):
        return (y[rows] - Z[:, 0]) ** 2

    def again(Z):
        return asked(Z, every)

    move = predicted_move(x, again(x), asked, np.array([True, False]))
    found = importances(again(x), move, ["a", "b"], repeats=4000, weights=w)
    pairs = (y[:, None] - x[None, :, 0]) ** 2 - again(x)[:, None]
    exact = float(w @ pairs @ w) / float(w.sum() ** 2)
    # The donors of one shuffle are 40 draws, so that 4000 shuffles are off by about sd / sqrt(160000).
    assert found["a"].value == pytest.approx(exact, abs=4.0 * float(pairs.std()) / 400.0 * 3.0)
    assert (found["b"].value, found["b"].low) == (0.0, 0.0)


def _training_rows(found: Any, table: Any) -> np.ndarray:
    """Return the rows that a report was fitted on, from its seed."""
    from empirisk.report.fit.split import split_rows

    return split_rows(table, seed=found.json["provenance"]["seed"]).train
