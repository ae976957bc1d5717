"""A report on clusters says what is in the rows: groups where there are any, none where there are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

from empirisk.report.errors import DataError
from empirisk.report.saved.inspect_file import inspect_lines
from empirisk.report.saved.model_file import ModelFile, ModelFileError, load
from empirisk.report.saved.verify_file import verify_file, verify_lines
from empirisk.report.schema import validate_report
from empirisk.report.sections.clusters.words import certificate_said
from tests.report.groups import make_clusters, noise, three_groups, wine

Json = dict[str, Any]


def report_in(folder: Path) -> Json:
    found: Json = json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def groups(groups_made: Path) -> Json:
    return report_in(groups_made)


@pytest.fixture(scope="module")
def nothing(noise_made: Path) -> Json:
    return report_in(noise_made)


@pytest.fixture(scope="module")
def labels(groups_made: Path) -> pl.DataFrame:
    return pl.read_csv(groups_made / "out" / "labels.csv")


@pytest.fixture(scope="module")
def model(groups_made: Path) -> ModelFile:
    return load(groups_made / "out" / "model.empirisk")


def test_all_files_are_written_and_valid(groups_made: Path, groups: Json, nothing: Json) -> None:
    written = {p.name for p in (groups_made / "out").iterdir()}
    assert written == {"report.html", "report.json", "report.md", "labels.csv", "model.empirisk"}
    assert {p.name for p in groups_made.iterdir()} == {"table.csv", "out"}
    validate_report(groups)
    validate_report(nothing)
    assert groups["failed"] == nothing["failed"] == []


def test_the_groups_that_were_made_are_found(groups: Json, labels: pl.DataFrame) -> None:
    assert groups["verdict"]["clusters"] is True
    assert groups["verdict"]["k"] == groups["number"]["k"] == 3
    made = np.arange(150) % 3
    # Six standard deviations apart: Phi(-3) = 0.0013 of the rows are on the wrong side, and some of the 5 %
    # whose size is missing.
    counts = np.zeros((3, 3))
    np.add.at(counts, (made, labels["cluster"].to_numpy() - 1), 1)
    assert counts.max(axis=1).sum() >= 144
    assert labels["row"].to_list() == [f"r{i:03d}" for i in range(150)]


def test_noise_has_no_clusters_and_the_page_says_so_first(noise_made: Path, nothing: Json) -> None:
    assert nothing["verdict"]["clusters"] is False
    assert nothing["verdict"]["k"] == 1
    assert nothing["verdict"]["sentences"][0].startswith("No clusters were shown")
    assert "What remains to be seen" in nothing["verdict"]["sentences"][2]
    assert nothing["profile"] is None
    assert "no clusters to describe" in nothing["absent"]["profile"]
    text = (noise_made / "out" / "report.md").read_text(encoding="utf-8")
    assert text.index("No clusters") < text.index("## What went in?")
    labels = pl.read_csv(noise_made / "out" / "labels.csv")
    assert labels["cluster"].unique().to_list() == [1]
    # What was refuted is still examined, and called a cut.
    assert nothing["stability"]["split"] == nothing["number"]["split"] > 1
    assert "cut" in nothing["agreement"]["sentence"]


def test_sizes_are_counts_with_wilson_intervals(groups: Json, labels: pl.DataFrame) -> None:
    clusters = groups["profile"]["clusters"]
    z, n = norm.ppf(0.975), labels.height
    for c in clusters:
        k = (labels["cluster"] == int(c["name"])).sum()
        assert c["n"] == k
        p, d = k / n, 1.0 + z * z / n
        half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        assert [c["share"][key] for key in ("value", "low", "high")] == pytest.approx(
            [p, (p + z * z / (2 * n) - half) / d, (p + z * z / (2 * n) + half) / d]
        )
    assert sum(c["n"] for c in clusters) == n


def line(report: Json, column: str, level: str | None = None) -> Json:
    return next(x for x in report["profile"]["lines"] if x["column"] == column and x["level"] == level)


def test_means_and_explained_shares_are_those_of_the_rows(groups: Json, labels: pl.DataFrame) -> None:
    values, own = three_groups()["price"].to_numpy(), labels["cluster"].to_numpy()
    found = line(groups, "price")
    means = [values[own == c].mean() for c in (1, 2, 3)]
    assert [e["value"] for e in found["parts"]] == pytest.approx(means)
    assert found["whole"]["value"] == pytest.approx(values.mean())
    within = sum(((values[own == c] - means[c - 1]) ** 2).sum() for c in (1, 2, 3))
    explained = 1.0 - within / ((values - values.mean()) ** 2).sum()
    assert found["effect"]["value"] == pytest.approx(explained)
    assert found["effect"]["low"] < explained < found["effect"]["high"]
    assert found["distances"] == pytest.approx([(m - values.mean()) / values.std() for m in means])


def test_a_missing_value_is_not_in_the_mean_of_its_cluster(groups: Json, labels: pl.DataFrame) -> None:
    written = three_groups()["size"].to_list()
    known = np.array([v != "?" for v in written])
    values = np.array([float(v) if v != "?" else np.nan for v in written])
    own = labels["cluster"].to_numpy()
    found = line(groups, "size")
    assert known.sum() < 150
    assert found["whole"]["n"] == known.sum()
    assert [e["value"] for e in found["parts"]] == pytest.approx(
        [np.nanmean(values[own == c]) for c in (1, 2, 3)]
    )


def test_levels_are_shares_and_their_explained_share_is_goodman_and_kruskals(
    groups: Json, labels: pl.DataFrame
) -> None:
    towns, own = three_groups()["town"].to_numpy(), labels["cluster"].to_numpy()
    found = line(groups, "town", "Oslo")
    assert [e["value"] for e in found["parts"]] == pytest.approx(
        [(towns[own == c] == "Oslo").mean() for c in (1, 2, 3)]
    )

    def gini(rows: Any) -> float:
        return 1.0 - sum((rows == t).mean() ** 2 for t in set(towns))

    inside = sum((own == c).mean() * gini(towns[own == c]) for c in (1, 2, 3))
    assert found["effect"]["value"] == pytest.approx(1.0 - inside / gini(towns))


def test_a_column_set_aside_is_described_and_took_no_part(groups: Json) -> None:
    assert "species" not in groups["task"]["columns"]
    found = [x for x in groups["profile"]["lines"] if x["column"] == "species"]
    assert [x["takes_part"] for x in found] == [False] * 3
    assert "did not choose the clusters" in groups["profile"]["caveat"]
    assert "looked for" in groups["profile"]["caveat"]


def test_a_profile_line_of_every_column_and_the_most_telling_first(groups: Json) -> None:
    taking = [x["effect"]["value"] for x in groups["profile"]["lines"] if x["takes_part"]]
    assert taking == sorted(taking, reverse=True)
    assert {x["column"] for x in groups["profile"]["lines"]} == {
        "size",
        "price",
        "noise",
        "town",
        "big",
        "species",
    }
    assert "noise" in groups["profile"]["sentence"].partition("differ little in")[2]


def test_scaling_says_what_the_units_would_have_done(groups: Json) -> None:
    told = {x["name"]: x for x in groups["scaling"]["alternatives"]}
    assert set(told) == {"raw", "ranks", "numbers"}
    # In the file's units the prices decide alone: two of the three groups cannot be told apart.
    assert told["raw"]["agreement"]["value"] < 0.75 < told["numbers"]["agreement"]["value"]
    assert sum(c["share"] for c in groups["scaling"]["columns"]) == pytest.approx(1.0)


def test_stability_and_the_other_methods_agree_on_clear_groups(groups: Json) -> None:
    assert groups["stability"]["weakest"] > 0.9
    assert [c["sentence"] for c in groups["stability"]["clusters"]] == ["comes back"] * 3
    assert [c["rows"] for c in groups["stability"]["clusters"]] == [
        c["n"] for c in groups["profile"]["clusters"]
    ]
    first = groups["agreement"]["pairs"][0]
    assert first["agreement"]["value"] > 0.9
    tree = groups["agreement"]["tree"]
    assert sum(leaf["rows"] for leaf in tree["leaves"]) == 150
    assert len(tree["links"]) == len(tree["leaves"]) - 1 == 23
    assert tree["clusters"] == 3


def test_the_map_holds_cells_and_no_rows(groups: Json) -> None:
    view = groups["map"]["view"]
    assert view["n"] == 150
    assert sum(view["sizes"]) == 150
    xs = sorted({cell[0] for cell in view["rows"]})
    assert len(xs) <= 60
    steps = np.diff(xs) / np.diff(xs).min()
    assert np.allclose(steps, np.rint(steps), atol=0.05)
    assert 0.0 < view["share"] <= 1.0


def test_new_rows_go_to_the_nearest_centre(model: ModelFile, labels: pl.DataFrame) -> None:
    fresh = three_groups(30, seed=5)
    found = model.predict(fresh)
    X = model.pipeline[0].transform(_frame(model, fresh))
    centres = model.pipeline[-1].cluster_centers_
    far = np.linalg.norm(X[:, None, :] - centres[None], axis=2)
    assert found.tolist() == [str(c + 1) for c in far.argmin(axis=1)]
    assert np.allclose(model.distances(fresh), far)
    with pytest.raises(ModelFileError, match="no probabilities"):
        model.predict_proba(fresh)
    own = model.distances(three_groups())
    assert labels["distance"].to_numpy() == pytest.approx(own.min(axis=1))
    assert labels["next_distance"].to_numpy() == pytest.approx(np.sort(own, axis=1)[:, 1])


def _frame(model: ModelFile, frame: pl.DataFrame) -> pl.DataFrame:
    from empirisk.report.fit.encode import model_frame

    return model_frame(model.read(frame))


def test_a_level_that_was_never_seen_and_a_missing_column(model: ModelFile) -> None:
    fresh = three_groups(12, seed=5).with_columns(town=pl.lit("Hammerfest"))
    assert len(model.predict(fresh)) == 12
    with pytest.raises(DataError, match=r"lacks the column 'price'"):
        model.predict(fresh.drop("price"))


def test_verify_proves_the_groups_again_and_knows_other_rows(
    groups_made: Path, model: ModelFile, tmp_path: Path
) -> None:
    again = verify_file(model, model.read(groups_made / "table.csv"))
    assert again.same_data
    assert again.proved is True
    assert "Fit found again, which is no proof of an optimum" in " ".join(verify_lines(again))
    three_groups(150, seed=1).write_csv(tmp_path / "other.csv")
    other = verify_file(model, model.read(tmp_path / "other.csv"))
    assert not other.same_data
    assert other.proved is None
    said = inspect_lines(model.metadata)
    assert "which of 3 clusters a row falls into" in said[0]


def test_the_first_screen_is_three_sentences_for_anybody(groups: Json, groups_made: Path) -> None:
    sentences = groups["verdict"]["sentences"]
    assert len(sentences) == 3
    assert "fall into 3 clusters" in sentences[0]
    assert all(s.endswith(".") for s in sentences)
    page = (groups_made / "out" / "report.html").read_text(encoding="utf-8")
    assert page.index("fall into 3 clusters") < page.index('id="data"')
    assert str(groups_made) not in page


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers_in(inner)
    elif isinstance(value, float):
        yield value


def test_no_value_of_a_row_stands_in_the_report(groups: Json) -> None:
    """Prices have one decimal and are all different: none may be told but the ends of the column."""
    prices = three_groups()["price"].to_numpy()
    inner = set(np.sort(prices)[1:-1].tolist())
    shown = {round(v, 1) for v in numbers_in({k: v for k, v in groups.items() if k != "data"})}
    assert len(inner & shown) <= 2  # by chance


def test_too_few_rows_and_equal_rows_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="at least 20 are needed"):
        make_clusters(tmp_path / "few", noise(12))
    same = pl.DataFrame({"x": [1.0, 2.0] * 20, "y": [1.0, 2.0] * 20})
    with pytest.raises(DataError, match="2 different rows: there is nothing to group"):
        make_clusters(tmp_path / "same", same)
    with pytest.raises(DataError, match="--ks asks for 40 clusters or more"):
        make_clusters(tmp_path / "many", noise(60), ks="40-50")
    assert [p.name for p in (tmp_path / "few").iterdir()] == ["table.csv"]


@pytest.mark.full  # a report of its own
def test_few_rows_of_many_columns_are_compared_with_a_diagonal_mixture(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 12)) + 6.0 * rng.integers(0, 2, 120)[:, None]
    made = make_clusters(tmp_path, pl.DataFrame(X, schema=[f"x{j}" for j in range(12)])).report
    (pair,) = [p for p in made["agreement"]["pairs"] if "mixture" in p["first"] + p["second"]][:1]
    assert pair["agreement"]["value"] > 0.9


@pytest.mark.full  # a report of its own on a table of thirteen columns
def test_wines_fall_into_their_cultivars(tmp_path: Path) -> None:
    """Three cultivars that no column of the grouping names, set aside, are found again in the profile."""
    made = make_clusters(tmp_path, wine(), drop=("cultivar",)).report
    assert made["verdict"]["k"] == 3
    own = pl.read_csv(tmp_path / "out" / "labels.csv")["cluster"].to_numpy()
    table = np.zeros((3, 3))
    np.add.at(table, (np.array([int(c[-1]) for c in wine()["cultivar"]]), own - 1), 1)
    assert table.max(axis=1).sum() >= 168  # published accuracies of k-means on standardised wines: about 0.97
    found = line(made, "cultivar", "cultivar 1")
    assert found["takes_part"] is False
    assert found["effect"]["value"] > 0.8


@pytest.mark.parametrize(
    ("kind", "k", "said"),
    [
        ("EXACT", 1, "its centre is the mean"),
        ("EXACT", 4, "No other 4 groups have smaller squares"),
        ("STATIONARITY", 4, "that others fit better is not excluded"),
    ],
)
def test_the_claim_at_the_top_is_that_of_the_certificate(kind: str, k: int, said: str) -> None:
    rows = [{"of": "k-means", "certificate": {"kind": kind, "verified": True}}]
    told = certificate_said({"sentence": "", "rows": rows}, k)
    assert told is not None
    assert said in told
    assert told.endswith("Recomputed independently.")
    rows[0]["certificate"] = {"kind": kind, "verified": False}
    assert str(certificate_said({"sentence": "", "rows": rows}, k)).endswith("could not be confirmed.")
    assert certificate_said(None, k) is None
