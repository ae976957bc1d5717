"""Data for the benchmarks: one kind a file, one row of REGISTRY for each size."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from bench.datasets.adult import adult_one_hot, adult_rows
from bench.datasets.blobs import blobs, distances
from bench.datasets.class_interactions import class_interactions
from bench.datasets.classification import (
    dense_classes,
    gaussian_classes,
    many_classes,
    sparse_classes,
    ten_classes,
)
from bench.datasets.clouds import clouds
from bench.datasets.documents import documents
from bench.datasets.factors import factor_rows, sparse_counts
from bench.datasets.grouped import grouped_classes, grouped_regression
from bench.datasets.groups import gaussian_groups
from bench.datasets.images import images
from bench.datasets.interactions import interactions
from bench.datasets.points import points
from bench.datasets.positive import claims, counts, durations, waiting
from bench.datasets.posteriordb import kidiq, kilpisjarvi
from bench.datasets.regression import (
    dense_regression,
    heavy_regression,
    skewed_regression,
    sparse_regression,
    wide_regression,
)
from bench.datasets.small import standardised
from bench.datasets.spheres import nested_spheres

Maker = Callable[[], tuple[object, object]]


def both(kind: str, size: str, full: Maker, small: Maker) -> dict[str, tuple[Maker, Maker]]:
    """Return the rows of some data in float64 and, under a name that says so, in float32."""
    single = partial(full, dtype=np.float32), partial(small, dtype=np.float32)
    return {f"{kind} {size}": (full, small), f"{kind} float32 {size}": single}


# name: (maker at full size, maker at the size of a smoke test)
REGISTRY: dict[str, tuple[Maker, Maker]] = {
    "dense 1e6x50": (partial(dense_regression, 1_000_000, 50), partial(dense_regression, 3000, 10)),
    "dense 1e5x500": (partial(dense_regression, 100_000, 500), partial(dense_regression, 2000, 30)),
    "dense 1e5x200": (partial(dense_regression, 100_000, 200), partial(dense_regression, 2000, 20)),
    "dense 2e4x200": (partial(dense_regression, 20_000, 200), partial(dense_regression, 500, 20)),
    "dense 5000x20": (partial(dense_regression, 5000, 20), partial(dense_regression, 500, 20)),
    "dense 2e4x20": (partial(dense_regression, 20_000, 20), partial(dense_regression, 500, 20)),
    **both(
        "groups", "1e5x16", partial(gaussian_groups, 100_000, 16, 16), partial(gaussian_groups, 900, 4, 3)
    ),
    **both("points", "1e5x64", partial(points, 100_000, 64, 10_000), partial(points, 1000, 8, 400)),
    **both("points", "2e4x16", partial(points, 20_000, 16, 1), partial(points, 500, 4, 1)),
    **both("points", "1e5x16", partial(points, 100_000, 16, 1), partial(points, 600, 4, 1)),
    **both("points", "1e5x2", partial(points, 100_000, 2, 1), partial(points, 700, 2, 1)),
    "points 1e6x3": (partial(points, 1_000_000, 3, 100_000), partial(points, 1000, 3, 400)),
    **both("blobs", "1e4x10", partial(blobs, 10_000, 10, 8), partial(blobs, 600, 4, 3)),
    **both("blobs", "5000x16", partial(blobs, 5000, 16, 10), partial(blobs, 400, 4, 3)),
    "distances of blobs 5000x16": (partial(distances, 5000, 16, 10), partial(distances, 400, 4, 3)),
    **both("clouds", "1e6x32", partial(clouds, 1_000_000, 32, 64), partial(clouds, 2000, 8, 10)),
    **both("clouds", "1e5x64", partial(clouds, 100_000, 64, 256), partial(clouds, 2000, 8, 20)),
    **both("clouds", "1e5x32", partial(clouds, 100_000, 32, 64), partial(clouds, 2000, 8, 10)),
    **both("factors", "1e5x500", partial(factor_rows, 100_000, 500), partial(factor_rows, 2000, 30)),
    **both("factors", "1000x1e5", partial(factor_rows, 1000, 100_000), partial(factor_rows, 60, 300)),
    **both("factors", "1e4x1e5", partial(factor_rows, 10_000, 100_000), partial(factor_rows, 70, 1500)),
    **both(
        "sparse counts",
        "1e5x1e5",
        partial(sparse_counts, 100_000, 100_000, 1e-3),
        partial(sparse_counts, 500, 600, 1e-2),
    ),
    "wide 500x20000": (partial(dense_regression, 500, 20_000), partial(dense_regression, 50, 300)),
    "wide 1000x50000": (partial(wide_regression, 1000, 50_000), partial(wide_regression, 100, 500)),
    "sparse 2e4x1e5": (
        partial(sparse_regression, 20_000, 100_000, 1e-3),
        partial(sparse_regression, 500, 1000, 1e-2),
    ),
    "heavy tails 1e5x20": (partial(heavy_regression, 100_000, 20), partial(heavy_regression, 1000, 5)),
    "heavy tails 5e5x50": (partial(heavy_regression, 500_000, 50), partial(heavy_regression, 1000, 5)),
    "skewed 1e4x3": (partial(skewed_regression, 10_000, 3), partial(skewed_regression, 200, 3)),
    "classes 1e6x50": (partial(dense_classes, 1_000_000, 50), partial(dense_classes, 3000, 10)),
    "classes 2e5x100": (partial(dense_classes, 200_000, 100), partial(dense_classes, 3000, 10)),
    "classes 2e4x100": (partial(dense_classes, 20_000, 100), partial(dense_classes, 600, 10)),
    "classes 3000x20": (partial(dense_classes, 3000, 20), partial(dense_classes, 300, 10)),
    "classes 2000x20": (partial(dense_classes, 2000, 20), partial(dense_classes, 300, 10)),
    "classes 1e4x50": (partial(dense_classes, 10_000, 50), partial(dense_classes, 600, 10)),
    "classes 2e4x50": (partial(dense_classes, 20_000, 50), partial(dense_classes, 600, 10)),
    "classes 2e4x2000": (partial(dense_classes, 20_000, 2000), partial(dense_classes, 600, 40)),
    "ten classes 60000x784": (partial(ten_classes, 60_000, 784), partial(ten_classes, 600, 20)),
    "seven classes 5e4x50": (partial(many_classes, 50_000, 50, 7), partial(many_classes, 700, 10, 7)),
    "hundred classes 2e4x50": (partial(many_classes, 20_000, 50, 100), partial(many_classes, 900, 10, 20)),
    "sparse classes 1e5x1e5": (
        partial(sparse_classes, 100_000, 100_000, 1e-3),
        partial(sparse_classes, 1000, 800, 1e-2),
    ),
    "spheres 1e5x30": (partial(nested_spheres, 100_000, 30), partial(nested_spheres, 1000, 12)),
    "interactions 1e6x28": (partial(interactions, 1_000_000, 28), partial(interactions, 1500, 8)),
    "interactions 1e4x28": (partial(interactions, 10_000, 28), partial(interactions, 1500, 8)),
    "interactions 1e5x30": (partial(interactions, 100_000, 30), partial(interactions, 1500, 8)),
    "interactions 2e5x30": (partial(interactions, 200_000, 30), partial(interactions, 1500, 8)),
    "interactions 1e6x10": (partial(interactions, 1_000_000, 10), partial(interactions, 1500, 8)),
    "interactions 2000x20": (partial(interactions, 2000, 20), partial(interactions, 1500, 8)),
    "7 classes 50000x30": (
        partial(class_interactions, 50_000, 30, 7),
        partial(class_interactions, 1500, 8, 3),
    ),
    "100 classes 20000x30": (
        partial(class_interactions, 20_000, 30, 100),
        partial(class_interactions, 2000, 8, 10),
    ),
    "adult 30000x14": (partial(adult_rows, 30_000), partial(adult_rows, 2000)),
    "adult one-hot 32561": (partial(adult_one_hot, 32_561), partial(adult_one_hot, 600)),
    "groups 2000x20000": (partial(grouped_regression, 2000, 20_000), partial(grouped_regression, 200, 400)),
    "grouped classes 2000x20000": (
        partial(grouped_classes, 2000, 20_000),
        partial(grouped_classes, 200, 400),
    ),
    "counts 5e5x50": (partial(counts, 500_000, 50), partial(counts, 2000, 10)),
    "durations 5e5x50": (partial(durations, 500_000, 50), partial(durations, 2000, 10)),
    **{
        name: (partial(standardised, name), partial(standardised, name))
        for name in ("iris", "breast cancer", "digits", "diabetes")
    },
    "float32 digits": (partial(standardised, "digits", np.float32),) * 2,
    **both("images", "60000x784", partial(images, 60_000, 784), partial(images, 1000, 40)),
    **both("classes", "1e5x50", partial(dense_classes, 100_000, 50), partial(dense_classes, 3000, 10)),
    "classes float32 1e4x50": (
        partial(dense_classes, 10_000, 50, np.float32),
        partial(dense_classes, 600, 10, np.float32),
    ),
    **both(
        "gaussian classes",
        "1e6x50",
        partial(gaussian_classes, 1_000_000, 50),
        partial(gaussian_classes, 900, 8),
    ),
    **both("documents", "1e5x5e4", partial(documents, 100_000, 50_000), partial(documents, 600, 400)),
    "waiting 1e6": (partial(waiting, 1_000_000), partial(waiting, 2000)),
    "claims 1e6": (partial(claims, 1_000_000), partial(claims, 2000)),
    "kidiq": (kidiq, kidiq),
    "kilpisjarvi": (kilpisjarvi, kilpisjarvi),
}
