"""What the structure tests look at: the files of the project, and who imports whom."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "empirisk"

# A package may import the layers above it in this list, never those below.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"results", "typing", "wording", "_loops"}),
    frozenset({"data"}),
    frozenset({"losses", "penalties", "kernels", "distributions", "mixtures", "codings"}),
    frozenset({"problems"}),
    frozenset({"hypotheses"}),
    frozenset(
        {
            "solvers",
            "samplers",
            "bounds",
            "linear_theory",
            "trees",
            "neighbors",
            "graphs",
            "clustering",
            "linkage",
            "reduction",
            "optimizers",
            "convex",
            "gaussian_processes",
        }
    ),
    frozenset({"inference"}),
    frozenset({"estimators"}),
    frozenset({"evaluation"}),
    frozenset({"curves", "explanations", "ladder", "partitions"}),
    frozenset({"resampling", "search"}),
    frozenset({"selection"}),
    frozenset({"diagnosis"}),
    frozenset({"report", "plots"}),
    frozenset({"cli"}),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# Within a layer the nouns do not know each other, but for these pairs (importer, imported).
SIBLINGS = frozenset({("report", "plots"), ("solvers", "optimizers"), ("graphs", "neighbors")})

# A function may import a higher layer when it is called, for these pairs only: result objects offer
# `.plot()`, and drawing needs the optional matplotlib.
CALLS_UPWARD = frozenset(
    (room, "plots")
    for room in (
        "curves",
        "data",
        "diagnosis",
        "estimators",
        "evaluation",
        "explanations",
        "graphs",
        "inference",
        "ladder",
        "linkage",
        "partitions",
        "reduction",
        "resampling",
        "samplers",
        "search",
        "trees",
    )
)


@dataclass(frozen=True)
class Import:
    """One import of one of our packages by another."""

    file: Path
    line: int
    importer: str
    imported: str
    in_function: bool

    def __str__(self) -> str:
        where = "inside a function" if self.in_function else "at the top"
        return f"{self.file.relative_to(ROOT)}:{self.line} ({where}): {self.importer} -> {self.imported}"


def source_files() -> list[Path]:
    """Every source file of the package and of the loops."""
    python = PACKAGE.rglob("*.py")
    loops = (p for p in (ROOT / "cpp").rglob("*") if p.suffix in {".cpp", ".hpp", ".h"})
    return sorted([*python, *loops])


@cache
def tracked_files() -> tuple[Path, ...]:
    """The files under version control; empty outside a clone (an unpacked source archive)."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ()
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(p for p in paths if p.is_file())


def module_names() -> list[str]:
    """Every importable module of the package, found by its file: nothing is imported."""
    parts = (f.relative_to(PACKAGE.parent).with_suffix("").parts for f in sorted(PACKAGE.rglob("*.py")))
    return [".".join(p).removesuffix(".__init__") for p in parts if p[-1] != "__main__"]


@dataclass(frozen=True)
class Statement:
    """One import statement of a file: the module, the names taken from it, and where it stands."""

    line: int
    module: str  # empty for a relative import
    names: tuple[str, ...]  # empty for `import module`
    in_function: bool


@dataclass(frozen=True)
class Scan:
    """What the structure tests ask of a file: its imports, and (line, name, text) of its docstrings."""

    imports: tuple[Statement, ...]
    docstrings: tuple[tuple[int, str, str], ...]


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SPEAKING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def scanned(text: str) -> Scan:
    """Return the scan of a source text; each text is parsed once for all tests of a process."""
    imports: list[Statement] = []
    docstrings: list[tuple[int, str, str]] = []
    open_: list[tuple[ast.AST, bool]] = [(ast.parse(text), False)]
    while open_:
        node, inside = open_.pop()
        if isinstance(node, ast.Import):
            imports += [Statement(node.lineno, alias.name, (), inside) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "" if node.level else node.module or ""
            names = tuple(alias.name for alias in node.names)
            imports.append(Statement(node.lineno, module, names, inside))
        elif isinstance(node, SPEAKING):
            doc = ast.get_docstring(node)
            if doc is not None:
                docstrings.append((node.body[0].lineno, getattr(node, "name", "the module"), doc))
        inside = inside or isinstance(node, FUNCTIONS)
        # Expressions hold neither imports nor docstrings, and are most of a file.
        open_ += [
            (child, inside)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case)
        ]
    return Scan(tuple(sorted(imports, key=lambda i: i.line)), tuple(sorted(docstrings, key=lambda d: d[0])))


def scan_of(file: Path) -> Scan:
    """Return the scan of a file as it is now."""
    return scanned(file.read_text(encoding="utf-8"))


def packages_named(statement: Statement) -> Iterator[str]:
    """Which of our packages (losses, data, results ...) an import statement names."""
    first, _, rest = statement.module.partition(".")
    if first == "empirisk":  # a relative import stays in its package
        yield from [rest.partition(".")[0]] if rest else statement.names


def imports_of(file: Path) -> Iterator[Import]:
    """All imports between our packages in a file; those for the type checker count like any other."""
    importer = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for statement in scan_of(file).imports:
        for imported in packages_named(statement):
            if imported != importer:
                yield Import(file, statement.line, importer, imported, statement.in_function)


def sections(doc: str) -> dict[str, str]:
    """The numpydoc sections of a docstring: heading to text."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described_parameters(doc: str) -> set[str]:
    """The names that the section Parameters describes (`x, y : array` describes both)."""
    lines = sections(doc).get("Parameters", "").splitlines()
    heads = (line.split(" : ")[0] for line in lines if line and not line[0].isspace())
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


# A docstring with fewer words is no sentence that somebody new to the code could use.
FEWEST_WORDS = 6


def words_of(doc: str) -> int:
    """How many words a docstring has; what stands in backquotes counts as one word, however long it is."""
    plain = re.sub(r":\w+:`[^`]*`|``.*?``|`[^`]*`", "code", doc, flags=re.DOTALL)
    return sum(any(letter.isalpha() for letter in word) for word in plain.split())


def short_docstrings(files: Iterable[Path]) -> Iterator[str]:
    """Where modules, classes and functions, private ones too, say less than a sentence about themselves."""
    for file in files:
        for line, name, doc in scan_of(file).docstrings:
            if words_of(doc) < FEWEST_WORDS:
                where = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
                yield f"{where}:{line}: {name}: {doc!r}"
