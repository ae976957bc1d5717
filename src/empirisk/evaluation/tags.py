"""What a wrapper may say about itself: the tags of the estimator inside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import Tags, get_tags


def of_pairs(est: Any, X: Any) -> bool:
    """Return whether an estimator takes a matrix of pairs of rows, such as a kernel's, and X is square."""
    shape = getattr(X, "shape", None)
    if shape is not None and (len(shape) != 2 or shape[0] != shape[1]):
        return False
    if not get_tags(est).input_tags.pairwise:
        return False
    shape = np.shape(X) if shape is None else shape
    return len(shape) == 2 and shape[0] == shape[1]


def inherit(tags: Tags, inner: Tags) -> Tags:
    """Return `tags` with kind and inputs of the inner estimator; one target at a time, and a target is
    needed.
    """
    tags.estimator_type = inner.estimator_type
    if inner.classifier_tags is not None:
        tags.classifier_tags = replace(inner.classifier_tags, multi_label=False)
    tags.regressor_tags = inner.regressor_tags
    for name in ("sparse", "allow_nan", "pairwise", "categorical", "string"):
        setattr(tags.input_tags, name, getattr(inner.input_tags, name))
    tags.target_tags.required = True
    return tags
