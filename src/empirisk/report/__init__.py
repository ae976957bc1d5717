"""The model report: its JSON form, and the HTML and Markdown made from it; called, it makes one.

``er.report(frame, target="y")`` is :func:`empirisk.report.made.report`, whose help has all parameters: `out`,
`types`, `drop`, `missing`, `task`, `positive`, `group`, `time`, `test`, `seed`, `level`, `time_limit`,
`models`, `progress`, and those of text files.  It returns a :class:`empirisk.report.made.Report`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from empirisk.report.made import report as report

# The command line makes reports, too; `er.load` reads the models that it saves.
__all__: list[str] = []


def __dir__() -> list[str]:
    return sorted(__all__)


class _Callable(ModuleType):
    """The package as a function, because importing any part of it puts it in the place of the name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return import_module("empirisk.report.made").report(*args, **kwargs)


_this = sys.modules[__name__]
_this.__class__ = _Callable
if not TYPE_CHECKING:
    report = _this
