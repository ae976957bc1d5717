"""Encoding: against plain NumPy, with every column told back to its source, and saved without code."""

from __future__ import annotations

import datetime
from collections import Counter

import numpy as np
import polars as pl
import pytest
import skops.io

from empirisk.report.errors import DataError
from empirisk.report.fit.encode import (
    MISSING,
    RARE,
    TRUSTED_TYPES,
    feature_origin,
    make_encoder,
    model_frame,
    rare_below,
)
from empirisk.report.fit.level_codes import coded, named
from empirisk.report.fit.native import native_encoder, native_origin
from tests.report.tables import table_of

N = 120


def columns(seed: int = 0) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    number = [None if rng.random() < 0.2 else float(v) for v in rng.normal(50, 9, N).round(3)]
    truth = [None if rng.random() < 0.1 else bool(v) for v in rng.integers(0, 2, N)]
    city = [str(v) for v in rng.choice(["Oslo", "Bergen", "Rare"], N, p=[0.55, 0.44, 0.01])]
    city[0], city[1], city[2], city[3], city[4] = "Rare", None, None, None, "Vadsø"  # type: ignore[call-overload]
    day = [datetime.date(2020, 1, 1) + datetime.timedelta(int(d)) for d in rng.integers(0, 300, N)]
    day[5] = None  # type: ignore[call-overload]
    return {
        "number": number,
        "truth": truth,
        "city": city,
        "day": day,
        "y": rng.normal(size=N).round(4).tolist(),
    }


def test_matrix_is_what_numpy_gives() -> None:
    data = columns()
    table = table_of(data)
    frame = model_frame(table)
    encoder = make_encoder(table)
    matrix = encoder.fit_transform(frame)
    origins = feature_origin(encoder, matrix)
    assert matrix.shape == (N, len(origins))
    assert np.isfinite(matrix).all()
    by_name = {o.name: matrix[:, j] for j, o in enumerate(origins)}

    number = np.array([np.nan if v is None else v for v in data["number"]], dtype=float)
    filled = np.where(np.isnan(number), np.nanmedian(number), number)
    np.testing.assert_allclose(by_name["number"], (filled - filled.mean()) / filled.std(), rtol=1e-12)
    np.testing.assert_array_equal(by_name["number is missing"], np.isnan(number))

    truth = np.array([np.nan if v is None else float(v) for v in data["truth"]])  # type: ignore[arg-type]
    usual = float(np.nanmean(truth) > 0.5)
    np.testing.assert_array_equal(by_name["truth"], np.where(np.isnan(truth), usual, truth))

    city = np.array([MISSING if v is None else v for v in data["city"]])
    for level in ("Oslo", "Bergen", MISSING):
        np.testing.assert_array_equal(by_name[f"city = {level}"], city == level)
    rare = next(o for o in origins if o.level == RARE and o.source == "city")
    counts = Counter(city.tolist())
    assert rare.grouped == tuple(sorted(level for level, k in counts.items() if k < rare_below(N)))
    np.testing.assert_array_equal(by_name[f"city = {RARE}"], np.isin(city, rare.grouped))

    days = np.array(
        [np.nan if d is None else (d - datetime.date(1970, 1, 1)).days for d in data["day"]], dtype=float
    )  # type: ignore[operator]
    filled = np.where(np.isnan(days), np.nanmedian(days), days)
    np.testing.assert_allclose(by_name["day (days)"], (filled - filled.mean()) / filled.std(), rtol=1e-9)
    weekday = np.array(["" if d is None else d.strftime("%a") for d in data["day"]])  # type: ignore[attr-defined]
    np.testing.assert_array_equal(by_name["day (weekday) = Mon"], weekday == "Mon")
    assert {o.source for o in origins} == {"number", "truth", "city", "day"}
    np.testing.assert_allclose([o.sd for o in origins], matrix.std(axis=0))


def test_coefficients_can_be_told_in_original_units() -> None:
    table = table_of(columns())
    frame = model_frame(table)
    encoder = make_encoder(table)
    matrix = encoder.fit_transform(frame)
    j = next(j for j, o in enumerate(feature_origin(encoder)) if o.name == "number")
    origin = feature_origin(encoder, matrix)[j]
    # A step of one unit of the source moves the encoded column by 1/scale.
    step = frame.with_columns(pl.col("number") + 1.0)
    moved = encoder.transform(step)[:, j] - matrix[:, j]
    known = ~np.isnan(frame["number"].to_numpy())
    np.testing.assert_allclose(moved[known], 1.0 / origin.scale, rtol=1e-9)
    assert origin.sd == pytest.approx(1.0)
    assert origin.center == pytest.approx(
        np.nanmean(np.where(known, frame["number"], np.nanmedian(frame["number"])))
    )


def test_new_and_missing_values_at_prediction() -> None:
    table = table_of(columns())
    encoder = make_encoder(table).fit(model_frame(table))
    origins = feature_origin(encoder)
    frame = model_frame(table)[:1].with_columns(
        pl.lit("Nowhere").alias("city"),
        pl.lit(float("nan")).alias("number"),
        pl.lit(float("nan")).alias("truth"),
    )
    row = encoder.transform(frame)[0]
    told = {o.name: row[j] for j, o in enumerate(origins)}
    assert told[f"city = {RARE}"] == 1.0
    assert sum(v for k, v in told.items() if k.startswith("city")) == 1.0
    assert told["number is missing"] == 1.0
    assert np.isfinite(row).all()


def test_shape_does_not_depend_on_the_fold() -> None:
    # One gap only: folds without it must give the same columns.
    data = columns()
    data["number"] = [None, *np.random.default_rng(1).normal(size=N - 1).tolist()]
    data["city"] = ["Oslo", "Bergen"] * (N // 2)
    table = table_of(data)
    frame = model_frame(table)
    whole, part = make_encoder(table).fit(frame), make_encoder(table).fit(frame[1:])
    assert [o.name for o in feature_origin(whole)] == [o.name for o in feature_origin(part)]
    assert part.transform(frame).shape == whole.transform(frame).shape


def test_unscaled_for_trees_and_a_subset_of_rows() -> None:
    table = table_of(
        {"a": list(range(30)), "y": np.random.default_rng(0).normal(size=30).tolist()}, types={"a": "number"}
    )
    frame = model_frame(table, np.array([3, 1, 2]))
    assert frame["a"].to_list() == [3.0, 1.0, 2.0]
    np.testing.assert_array_equal(
        make_encoder(table, scale=False).fit_transform(frame)[:, 0], [3.0, 1.0, 2.0]
    )


def test_a_number_called_like_a_part_of_a_date_is_itself() -> None:
    rng = np.random.default_rng(0)
    table = table_of({"stay (days)": rng.normal(size=40), "y": rng.normal(size=40)})
    (origin,) = feature_origin(make_encoder(table).fit(model_frame(table)))
    assert (origin.name, origin.source, origin.kind) == ("stay (days)", "stay (days)", "number")
    days = [datetime.date(2020, 1, 1 + i % 28) for i in range(40)]
    clash = table_of({"d": days, "d (days)": rng.normal(size=40), "y": rng.normal(size=40)})
    with pytest.raises(DataError, match="rename one of them"):
        make_encoder(clash)


def test_time_of_day_gives_an_hour() -> None:
    stamps = [datetime.datetime(2020, 1, 1 + i % 20, i % 24, 30) for i in range(60)]
    table = table_of({"at": stamps, "y": np.random.default_rng(0).normal(size=60).tolist()})
    assert model_frame(table)["at (hour)"].to_list() == [i % 24 + 0.5 for i in range(60)]


@pytest.mark.parametrize(("n_rows", "least"), [(20, 2), (200, 4), (500, 10), (10**6, 10)])
def test_rare_levels_by_number_of_rows(n_rows: int, least: int) -> None:
    assert rare_below(n_rows) == least


def test_saved_without_any_code_of_ours() -> None:
    table = table_of(columns())
    encoder = make_encoder(table).fit(model_frame(table))
    data = skops.io.dumps(encoder)
    assert set(skops.io.get_untrusted_types(data=data)) <= set(TRUSTED_TYPES)
    again = skops.io.loads(data, trusted=list(TRUSTED_TYPES))
    np.testing.assert_array_equal(again.transform(model_frame(table)), encoder.transform(model_frame(table)))


def test_a_table_without_features_is_refused() -> None:
    table = table_of({"a": [1.0, 2.0], "y": [1.5, 2.5]})
    bare = type(table)(**{**table.__dict__, "columns": tuple(c for c in table.columns if c.name == "y")})
    with pytest.raises(DataError, match="has no feature column"):
        make_encoder(bare)


def test_pandas_frames_encode_alike() -> None:
    pytest.importorskip("pandas")
    table = table_of(columns())
    frame = model_frame(table)
    encoder = make_encoder(table).fit(frame)
    np.testing.assert_array_equal(encoder.transform(frame.to_pandas()), encoder.transform(frame))
    again = make_encoder(table).fit(frame.to_pandas())
    np.testing.assert_array_equal(again.transform(frame), encoder.transform(frame))


@pytest.mark.parametrize("kind", ["numbers", "native", "capped"])
def test_numbers_for_levels_make_the_matrix_of_the_levels_themselves(kind: str) -> None:
    """Folds in which levels are rare, or are met for the first time by the rows to predict."""
    data = columns()
    rng = np.random.default_rng(1)
    data["code"] = [f"{v}" for v in rng.choice(["10", "9", "é", "z", "Z", "a b", "\U0001f600"], N)]
    table = table_of(data, types={"code": "categorical"})
    frame = model_frame(table)
    numbers, names = coded(frame)
    assert set(names) == {"city", "code", "day (month)", "day (weekday)"}
    assert all(known.tolist() == sorted(set(frame[name].to_list())) for name, known in names.items())
    made, read = (make_encoder, feature_origin) if kind == "numbers" else (native_encoder, native_origin)
    unseen = 0
    for start in range(0, N, 20):
        new = np.arange(start, start + 20)
        train = np.setdiff1d(np.arange(N), new)[: 40 if start % 40 else N]
        encoders = [native_encoder(table, 3) if kind == "capped" else made(table) for _ in range(2)]
        for rows, act in ((train, "fit_transform"), (train, "transform"), (new, "transform")):
            strings, codes = (
                getattr(encoder, act)(some[rows])
                for encoder, some in zip(encoders, (frame, numbers), strict=True)
            )
            np.testing.assert_array_equal(strings, codes)
        assert read(encoders[0]) == named(read(encoders[1]), names)
        unseen += len(set(frame["city"][new]) - set(frame["city"][train]))
    assert unseen  # else nothing would be unknown
