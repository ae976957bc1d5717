"""Folds that are fitted side by side say what folds one after the other say, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk.report.fit.tuning as tuning
from empirisk.data.side_by_side import threads_for_pieces
from empirisk.evaluation.metrics import METRICS
from empirisk.report.fit.candidates import Candidate, candidates
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.recipe import Encoders
from empirisk.report.fit.sample import take
from empirisk.report.progress import Silent
from tests.report.tables import table_of


def found(threads: int, kinds: tuple[str, ...], **options: Any) -> tuple[Any, ...]:
    """Cross-validate a table of numbers, levels and two classes on so many threads."""
    rng = np.random.default_rng(3)
    x, level = rng.normal(size=(240, 2)), rng.integers(0, 4, 240)
    y = np.where(x[:, 0] + (level == 2) + rng.normal(size=240) > 0.5, "yes", "no")
    columns = {"a": x[:, 0], "b": x[:, 1], "c": np.array(list("pqrs"))[level], "y": y}
    table = table_of(columns)
    train = take(table, np.arange(table.n_rows))
    rows = candidates("binary", reference=False, kinds=kinds)
    metric: Any = METRICS["log_loss"]
    with threads_for_pieces(threads):
        return tuning.cross_validate(
            train, make_folds(train, 3, 2, 0), rows, Encoders(table), metric, 4, Silent(), 0, **options
        )


@pytest.mark.parametrize("options", [{}, {"trim": True}, {"look": True}], ids=["all", "trimmed", "look"])
def test_folds_side_by_side_have_the_same_bits(options: dict[str, bool]) -> None:
    kinds = ("linear", "tree", "boosting", "neighbors")
    (alone, folds, dropped, outrun), together = (found(n, kinds, **options) for n in (1, 3))
    assert together[2:] == (dropped, outrun)
    assert together[1].n_splits == folds.n_splits
    for one, other in zip(alone, together[0], strict=True):
        assert one.candidate == other.candidate
        for part in ("alphas", "losses", "train"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part), part)
        assert (one.sizes, one.lost) == (other.sizes, other.lost)
        assert [names for names, _ in one.coefs] == [names for names, _ in other.coefs]


def test_a_fold_without_a_fit_drops_its_candidate_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    score = tuning._Job._score

    def failing(self: Any, result: Any, number: int, *more: Any) -> None:
        if result.candidate.kind == "bayes" and number == 1:
            raise ValueError("nothing varies")
        score(self, result, number, *more)

    monkeypatch.setattr(tuning._Job, "_score", failing)
    dropped = [found(threads, ("linear", "bayes"))[2] for threads in (1, 2)]
    assert dropped[0] == dropped[1]
    assert any("fold 2 (nothing varies)" in why for why in dropped[0].values())


def test_another_error_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self: Any, result: Any, number: int, *more: Any) -> None:
        raise MemoryError("full")

    monkeypatch.setattr(tuning._Job, "_score", failing)
    for threads in (1, 2):
        with pytest.raises(MemoryError, match="full"):
            found(threads, ("linear",))


def test_candidates_are_told_apart_by_their_names() -> None:
    rows: list[Candidate] = candidates("binary", reference=False)
    assert len({c.name for c in rows}) == len(rows)
