"""From what a user writes as ``kernel=`` to a kernel."""

from __future__ import annotations

from typing import Any

from empirisk.kernels.base import Kernel, is_kernel
from empirisk.kernels.user import UserKernel

__all__ = ["kernel_of"]

# Names that other libraries give to a kernel.
ELSEWHERE = {"rbf": "gaussian", "poly": "polynomial", "sigmoid": None, "squared_exponential": "gaussian"}


def kernel_of(given: Any, registry: dict[str, Any]) -> Kernel:
    """Return the kernel that a name of the registry or an object stands for.

    Raises
    ------
    ValueError
        For a name that no kernel has; names of other libraries are told what the kernel is called here.
    """
    if is_kernel(given):
        found: Kernel = given
        return found
    if isinstance(given, str) and given in registry:
        made: Kernel = registry[given]()
        return made
    if callable(given) and not isinstance(given, type):
        user: Kernel = UserKernel(given)
        return user
    known = ", ".join(sorted(registry))
    if isinstance(given, str) and given in ELSEWHERE:
        here = ELSEWHERE[given]
        if here is None:
            raise ValueError(
                f"the {given} function is no Mercer kernel, its matrices have negative eigenvalues: "
                f"use one of {known}"
            )
        raise ValueError(f"the kernel {given!r} is called {here!r} here")
    raise ValueError(
        f"kernel must be one of {known}, a kernel of er.kernels, or a function of two blocks of rows, got "
        f"{given!r}"
    )
