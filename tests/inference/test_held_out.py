"""The mean of held-out losses: its interval in any unit of the weights."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.inference.held_out import held_out_mean


@pytest.mark.parametrize("size", [2.0**1000, 2.0**-1000, 3e300])
def test_weights_of_any_size_say_the_same(size: float, rng: np.random.Generator) -> None:
    values, weight = rng.standard_normal(60), rng.uniform(0.5, 1.0, 60)
    plain, scaled = held_out_mean(values, weight), held_out_mean(values, size * weight)
    np.testing.assert_allclose(
        [scaled.value, scaled.low, scaled.high], [plain.value, plain.low, plain.high], rtol=1e-12
    )
