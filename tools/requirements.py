"""Print the requirements of the package and of the named extras, one a line.

``--oldest`` pins them all to the lower bounds of pyproject.toml, so that those bounds are tested and never
copied: the test dependencies too, as the newest pyarrow is no match for the oldest NumPy.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def oldest(requirement: str) -> str:
    """Return ``name>=1.2`` as ``name==1.2.*``; a requirement without a lower bound stays as it is."""
    name, _, bound = requirement.partition(">=")
    return f"{name}=={bound}.*" if bound else name


def main(arguments: list[str]) -> None:
    """Print the requirements that the command line ``requirements.py [--oldest] [EXTRA...]`` asks for."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    extras = [a for a in arguments if a != "--oldest"]
    unknown = set(extras) - set(project["optional-dependencies"])
    if unknown:
        sys.exit(f"unknown extras: {', '.join(sorted(unknown))}")
    pinned = "--oldest" in arguments
    for name, listed in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        if name and name not in extras:
            continue
        for requirement in listed:
            print(oldest(requirement) if pinned else requirement)


if __name__ == "__main__":
    main(sys.argv[1:])
