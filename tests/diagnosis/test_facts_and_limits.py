"""What is certain is told as a fact, and no saving is promised beyond the loss that is left."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from empirisk.diagnosis import Answer, Outcome, context
from empirisk.diagnosis.family import correct
from empirisk.diagnosis.more_rows import last_doubling, more_rows


def test_no_rows_are_advised_where_no_loss_is_left() -> None:
    rng = np.random.default_rng(4)
    k = np.repeat(np.arange(50), 5)
    X = rng.normal(size=(50, 6))[k] + 0.1 * rng.normal(size=(250, 6))
    y = (rng.random(50) < 0.5).astype(int)[k]
    ctx = context(KNeighborsClassifier(1), X, y, random_state=0)
    assert not ctx.losses.any()
    answer, doubling = more_rows(ctx), last_doubling(ctx)
    assert answer.outcome is not Outcome.FIRES
    assert "0.0 %" not in answer.sentence
    low, high = doubling.next_gain()
    assert low <= doubling.least <= doubling.most
    assert 0.0 < high <= doubling.most


def test_a_fact_withdrawn_by_holm_stays_a_fact() -> None:
    others = [Answer(f"other {i}", Outcome.CLEAR, "", 0.5) for i in range(9)]
    told = Answer("ER207", Outcome.FIRES, "Twins flatter.", 0.02, evidence="x", fact="Rows are equal.")
    shown = correct([told, *others], 0.05)[0][0]
    assert (shown.outcome, shown.sentence) == (Outcome.FACT, "Rows are equal.")
    plain = Answer("ER208", Outcome.FIRES, "Order matters.", 0.02)
    doubt = correct([plain, *others], 0.05)[0][0]
    assert doubt.outcome is Outcome.CANNOT_TELL
    assert doubt.sentence.startswith("Suspected but not shown")
