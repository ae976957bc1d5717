"""A chart as it was drawn: it shows itself in a notebook, is saved in one line and hands out its Axes."""

from __future__ import annotations

import base64
import html
import io
import sys
import tempfile
import webbrowser
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empirisk.data.kept import write_whole
from empirisk.plots.style import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Plot", "axes_of"]

SHARP = 2  # pixels of a picture in a notebook for each of the screen's: sharp on dense screens


@dataclass(frozen=True, eq=False)
class Plot:
    """A chart on its Axes.

    In a notebook (Jupyter, VS Code, marimo) the last line of a cell shows it, without ``%matplotlib inline``
    and without pyplot; :meth:`show` shows it anywhere else in a cell, or from a terminal.  A chart that was
    drawn on Axes of a pyplot figure leaves showing to that figure, so that nothing appears twice.

    Parameters
    ----------
    axes : matplotlib Axes
        Where the chart was drawn.
    title : str
        What it says, in one sentence.
    description : str
        What it shows, for readers who cannot see it: the alternative text of the picture.

    Examples
    --------
    >>> import empirisk as er
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> plot = er.path(er.Lasso(), X, X[:, 0]).plot()
    >>> plot.figure is plot.axes.figure
    True
    >>> plot.axes.set_xlim(1e-3, 1.0)
    (0.001, 1.0)
    """

    axes: Axes
    title: str
    description: str = ""

    @property
    def figure(self) -> Figure:
        """The Figure that the Axes belong to, for everything that Matplotlib can do with one."""
        figure = self.axes.get_figure(root=True)
        assert figure is not None
        return figure

    def save(self, path: Any, *, dpi: float = 200.0) -> Path:
        """Write the chart to a file, whole or not at all, and return its path.

        Parameters
        ----------
        path : str or Path
            Its ending says the format: ``.png``, ``.svg``, ``.pdf`` or another that Matplotlib writes.
        dpi : float, default 200
            Pixels an inch, for formats that have pixels.

        Raises
        ------
        ValueError
            The ending is missing, or no format of Matplotlib.
        OSError
            The folder does not exist or cannot be written to.
        """
        target = Path(path)
        known = self.figure.canvas.get_supported_filetypes()
        ending = target.suffix.lower().lstrip(".")
        if ending not in known:
            raise ValueError(
                f"path must end in a format, such as chart.png, got {str(path)!r}; known are "
                f"{', '.join(sorted(known))}."
            )
        with style():
            drawn = io.BytesIO()
            self.figure.savefig(drawn, format=ending, dpi=dpi)
        write_whole(target, drawn.getvalue())
        return target

    def show(self) -> None:
        """Show the chart here: in the output of the notebook's cell, else in the viewer of pictures.

        Raises
        ------
        RuntimeError
            There is no notebook, and no viewer was found.
        """
        if _in_notebook():
            shown = self.figure if self._left_to_pyplot() else self
            import_module("IPython.display").display(shown)
            return
        with tempfile.NamedTemporaryFile(prefix="empirisk-", suffix=".png", delete=False) as file:
            file.write(self._repr_png_() or b"")
        if not webbrowser.open(Path(file.name).as_uri()):
            raise RuntimeError('no viewer of pictures was found here; write a file with .save("chart.png").')

    def _left_to_pyplot(self) -> bool:
        """Return whether pyplot manages the figure, and shows it by itself."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        return pyplot is not None and self.figure in [
            manager.canvas.figure for manager in pyplot._pylab_helpers.Gcf.get_all_fig_managers()
        ]

    def _repr_png_(self) -> bytes | None:
        return None if self._left_to_pyplot() else self._picture()

    def _picture(self) -> bytes:
        """Return the figure as the bytes of a PNG, twice as dense as a plain screen."""
        drawn = io.BytesIO()
        with style():
            self.figure.savefig(drawn, format="png", dpi=SHARP * self.figure.dpi)
        return drawn.getvalue()

    def _mime_(self) -> tuple[str, str]:
        # What marimo asks for: a type and words; it shows no figure of pyplot by itself.
        data = base64.b64encode(self._picture()).decode("ascii")
        width = round(float(self.figure.bbox.width))
        alt = html.escape(self._alt(), quote=True)
        return "text/html", f"<img src='data:image/png;base64,{data}' width='{width}' alt='{alt}'/>"

    def _alt(self) -> str:
        """Return the alternative text of the picture: its message and what it shows."""
        return ". ".join(part.rstrip(".") for part in (self.title, self.description) if part)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], Any]:
        picture = self._repr_png_()
        told = {"text/plain": repr(self)}
        if picture is None:
            return told, {}
        width, height = (round(float(side)) for side in self.figure.bbox.size)
        size = {"width": width, "height": height, "alt": self._alt()}
        return {"image/png": picture, **told}, {"image/png": size}

    def __repr__(self) -> str:
        return f"Plot({self.title!r}; .axes, .figure, .save(path), .show())"


def axes_of(ax: Any) -> Any:
    """Return the Axes of what a user gave as `ax`: Axes, or a chart that was drawn before.

    Raises
    ------
    TypeError
        It is neither: a figure, or an array of Axes.
    """
    from matplotlib.axes import Axes

    if isinstance(ax, Plot):
        return ax.axes
    if not isinstance(ax, Axes):
        raise TypeError(
            f"ax must be the Axes to draw on, such as plt.figure().add_subplot(), got "
            f"{type(ax).__name__}; of several Axes give one."
        )
    return ax


def _in_notebook() -> bool:
    """Return whether the code runs in the kernel of a notebook."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
