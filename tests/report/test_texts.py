"""Texts as columns: against plain Python, NumPy and SciPy, in any script, and through a whole report."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.utils import murmurhash3_32

import empirisk as er
from empirisk.report.fit.encode import feature_origin, make_encoder, model_frame
from empirisk.report.fit.native import native_encoder, native_origin
from empirisk.report.fit.texts import BUCKETS, FEWEST, TextColumn
from empirisk.report.read.words import TOKEN, words_a_text
from empirisk.report.saved.probes import draw_probes
from tests.report.reports import make_report
from tests.report.tables import table_of

VOCABULARY = [f"{a}{b}qo" for a in "klmnprst" for b in "aeiouyäé"]
GOOD = VOCABULARY[:4]


def sentences(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Texts of eight words, and how many of them are good ones."""
    rng = np.random.default_rng(seed)
    words = [list(rng.choice(VOCABULARY, 8)) for _ in range(n)]
    return [" ".join(w) for w in words], np.array([sum(v in GOOD for v in w) for w in words])


def weights(texts: list[str]) -> tuple[np.ndarray, list[int]]:
    """The matrix of the definition, bucket by bucket in plain Python."""
    counts = []
    for text in texts:
        words = [w for w in text.lower().split() if len(w) > 1]
        terms = [*words, *(f"{a} {b}" for a, b in pairwise(words))]
        counts.append(Counter(abs(murmurhash3_32(term, seed=0)) % BUCKETS for term in terms))
    n, held = len(texts), Counter(j for row in counts for j in row)
    kept = sorted(j for j, m in held.items() if FEWEST <= m < n)
    A = np.zeros((n, len(kept)))
    for i, row in enumerate(counts):
        for at, j in enumerate(kept):
            if row[j]:
                A[i, at] = (1.0 + math.log(row[j])) * (1.0 + math.log((1 + n) / (1 + held[j])))
    length = np.linalg.norm(A, axis=1, keepdims=True)
    return A / np.where(length > 0.0, length, 1.0), kept


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_columns_are_components_and_telling_buckets(kind: str) -> None:
    texts, good = sentences(150)
    rng = np.random.default_rng(1)
    noisy = good + 0.3 * rng.normal(size=150)
    y = np.digitize(noisy, [0.5, 1.5]) if kind == "classes" else noisy
    column = TextColumn().fit(texts, y)
    A, kept = weights(texts)
    assert column.kept_.tolist() == kept
    Z = column.transform(texts)
    # Components: singular vectors of the centred matrix, the first with the standard deviation 1.
    U, s, _ = np.linalg.svd(A - A.mean(axis=0), full_matrices=False)
    scores = U[:, :5] * s[:5] / (s[0] / math.sqrt(149))
    np.testing.assert_allclose(np.abs(Z[:, :5]), np.abs(scores), atol=1e-7)
    # Buckets: the tests of SciPy, one by one, and the step-up rule of Benjamini and Hochberg.
    if kind == "classes":
        p = np.array([stats.f_oneway(*(a[y == k] for k in range(3))).pvalue for a in A.T])
    else:
        p = np.array([stats.linregress(a, y).pvalue for a in A.T])
    order = np.argsort(p)
    passed = max((i + 1 for i, j in enumerate(order) if p[j] <= 0.05 * (i + 1) / len(p)), default=0)
    assert passed > 0
    assert column.words_.tolist() == order[:passed].tolist()
    np.testing.assert_allclose(Z[:, 5:], A[:, order[:passed]] / A[A > 0.0].mean(), rtol=1e-10)


def test_words_without_meaning_are_rarely_kept() -> None:
    kept = []
    for seed in range(20):
        texts, _ = sentences(120, seed)
        y = np.random.default_rng(100 + seed).integers(0, 2, 120)
        kept.append(TextColumn().fit(texts, y).words_.size)
    # The rule keeps none in 95 of 100 such tables: four or more of 20 come once in 60.
    assert sum(k > 0 for k in kept) <= 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Der Füller, 3 rote Äpfel!", ["der", "füller", "rote", "äpfel"]),
        ("天気がいい abc", ["天", "気", "が", "い", "い", "abc"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("Привет, мир", ["привет", "мир"]),
        ("مُحَمَّد كتب", ["مُحَمَّد", "كتب"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("สวัสดี", list("สวัสดี")),
    ],
)
def test_words_of_any_script(text: str, words: list[str]) -> None:
    assert re.findall(TOKEN, text.lower()) == words


def test_spelling_of_letters_does_not_matter() -> None:
    column = TextColumn().fit(["café noir", "thé vert"] * 40, np.array([0, 1] * 40))
    same = column.transform(["café noir", "Cafe\u0301 NOIR"])
    np.testing.assert_array_equal(same[0], same[1])


def test_empty_and_unknown_texts() -> None:
    texts, good = sentences(100)
    with_gaps = ["" if i % 10 == 0 else text for i, text in enumerate(texts)]
    column = TextColumn().fit(with_gaps, (good > 0).astype(int))
    Z = column.transform(["", "entirely other words", "?!"])
    assert column.labels[0] == "empty"
    assert Z[:, 0].tolist() == [1.0, 0.0, 1.0]
    assert np.isfinite(Z).all()
    assert Z.shape == (3, len(column.get_feature_names_out()))
    nothing = TextColumn().fit([f"u{i}a v{i}b" for i in range(50)], np.zeros(50, dtype=int))
    assert nothing.labels == ["empty"]
    assert nothing.transform(["x y"]).tolist() == [[1.0]]


def test_texts_of_two_words_are_used_and_codes_are_not() -> None:
    texts, _ = sentences(60)
    codes = [f"{a}{b}{c}" for a in "xyz" for b in "abcde" for c in "pqrs"]
    table = table_of(
        {"note": texts, "code": codes, "z": [i * i for i in range(60)], "y": [0.5 * i for i in range(60)]}
    )
    assert table.features == ["note", "z"]
    assert table.column("note").reason.endswith("; its words are used")
    assert table.left_out_texts == ("code",)
    asked = table_of({"code": codes, "y": [0.5 * i for i in range(60)]}, types={"code": "text"})
    assert asked.features == ["code"]
    assert words_a_text(pl.Series(["東京駅", None])) == 3.0


def test_encoders_tell_columns_of_text_back() -> None:
    texts, good = sentences(120)
    y = (good + 0.1 * np.arange(120)).tolist()
    table = table_of({"a": list(range(120)), "note": [None, *texts[1:]], "town": ["x", "y"] * 60, "y": y})
    frame = model_frame(table)
    assert frame["note (words)"][0] == ""
    for encoder, origin in ((make_encoder(table), feature_origin), (native_encoder(table), native_origin)):
        X = encoder.fit_transform(frame, np.array(y))
        origins = origin(encoder)
        assert X.shape == (120, len(origins)) == (120, len(encoder.get_feature_names_out()))
        own = [o.source == "note" for o in origins]
        assert own == sorted(own)  # after all others
        assert {o.kind for o in origins if o.source == "note"} == {"text"}
        assert origins[own.index(True)].name == "note: empty"


def test_probes_hold_words_that_many_rows_have() -> None:
    frame = pl.DataFrame({"note (words)": [f"common secret{i}x" for i in range(50)]})
    words = set(" ".join(draw_probes(frame)["note (words)"]).split())
    assert words == {"common"}


@pytest.mark.full  # a whole report, of some seconds
@pytest.mark.parametrize("models", ["linear", "boosting"])
def test_a_text_that_tells_the_target_wins(tmp_path: Path, models: str) -> None:
    texts, good = sentences(500)
    rng = np.random.default_rng(2)
    odds = 2.5 * (good - good.mean())
    label = np.where(rng.random(500) < 1.0 / (1.0 + np.exp(-odds)), "yes", "no")
    frame = pl.DataFrame({"x": rng.normal(size=500), "note": [None, *texts[1:]], "answer": label})
    made = make_report(tmp_path, frame, "answer", models=models)
    report = made.report
    head = report["verdict"]["headline"]
    assert head["difference"]["low"] > 0.0 or head["difference"]["high"] < 0.0
    rises = {i["column"]: i["value"] for i in report["model"]["importances"]}
    assert rises["note"]["low"] > 0.0
    assert max(rises, key=lambda name: rises[name]["value"]) == "note"
    page = "".join((made.folder / f"report.{end}").read_text("utf-8") for end in ("html", "json", "md"))
    assert not [word for word in VOCABULARY if re.search(rf"\b{word}\b", page)]
    model = er.load(made.folder / "model.empirisk")
    of_file = model.predict_proba(made.folder.parent / "table.csv")
    np.testing.assert_array_equal(model.predict_proba(frame), of_file)
    assert np.ptp(of_file[:, 1]) > 0.3
    assert json.dumps(model.metadata["decisions"]).count("its words are used") == 1
