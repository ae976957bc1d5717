"""Where merging stops: by a number of clusters, a height, or a share of the largest distance."""

from __future__ import annotations

from typing import Any

from empirisk.estimators.checks import check_choice, check_count, check_number
from empirisk.estimators.clusters.merged_rows import METRICS, share_of_largest
from empirisk.linkage import REGISTRY, Linkage
from empirisk.typing import Array
from empirisk.wording import counted

__all__ = ["RULES", "check_enough", "check_rule_and_linkage", "threshold_of"]

RULES = ("n_clusters", "distance_threshold", "scaled_threshold")


def check_rule_and_linkage(est: Any) -> tuple[Linkage, str]:
    """Return linkage and metric of an estimator; refuses what does not fit, and no or several rules."""
    linkage: Linkage = check_choice("linkage", est.linkage, REGISTRY)()
    metric: str = check_choice("metric", est.metric, METRICS)
    if linkage.centroids and metric not in ("euclidean", "precomputed"):
        raise ValueError(
            f"linkage={linkage.name!r} measures from centroids, which {metric} distances do not have: take "
            "metric='euclidean', or another linkage"
        )
    given = [name for name in RULES if getattr(est, name) is not None]
    if len(given) != 1:
        said = "none is given" if not given else f"{' and '.join(given)} are given"
        raise ValueError(
            f"exactly one of {', '.join(RULES)} must say where to stop, and {said}; set the others to None"
        )
    if est.n_clusters is not None:
        check_count("n_clusters", est.n_clusters, 1)
    elif est.distance_threshold is not None:
        check_number("distance_threshold", est.distance_threshold, 0.0)
    else:
        check_number("scaled_threshold", est.scaled_threshold, 0.0)
        if not linkage.convex:
            raise ValueError(
                "scaled_threshold is a share of the largest distance of two rows, which bounds no height of "
                f"linkage={linkage.name!r}; give distance_threshold"
            )
    return linkage, metric


def check_enough(n_clusters: int | None, n: int) -> None:
    """Refuse more clusters than there are rows."""
    if n_clusters is not None and n_clusters > n:
        raise ValueError(
            f"n_clusters = {n_clusters} is more than the {counted(n, 'sample')} of positive weight in X: "
            f"give n_clusters <= {n}"
        )


def threshold_of(est: Any, rows: Array, metric: str) -> float | None:
    """Return the height above which nothing is merged, or None where a number of clusters is given."""
    if est.distance_threshold is not None:
        return float(est.distance_threshold)
    if est.scaled_threshold is None:
        return None
    return share_of_largest(rows, metric, float(est.scaled_threshold))
