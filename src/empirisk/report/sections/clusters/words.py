"""The sentences of the verdict on clusters: what was found, how far to trust it, and what to do next."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections.clusters.base import shares_said
from empirisk.wording import count, listed, p_value, percent

__all__ = ["certificate_said", "next_step", "sentences"]

Json = dict[str, Any]
STABLE = 0.75  # similarity from which a cluster comes back, as in the section on stability
CLOSE = 0.75  # adjusted Rand index from which two methods group the rows alike


def sentences(made: Json, k: int, split: int, source: str) -> list[str]:
    """Return three sentences: the answer, what the groups are, and how far they can be trusted.

    Parameters
    ----------
    made : dict
        The sections that were collected before.
    k : int
        Number of clusters, 1 for none.
    split : int
        The cut that the sections on stability and other methods look at.
    source : str
        Name of the file.
    """
    if k == 1:
        return [_none(made, source), _cut(made, split), _remains(made)]
    return [_some(made, k, source), _differ(made), _trust(made)]


def _none(made: Json, source: str) -> str:
    d = made["number"]
    n = count(d["n"])
    if d["p_value"] is None:
        return (
            f"Whether the {n} rows of {source} fall into clusters cannot be told: the time did not suffice."
        )
    return (
        f"No clusters were shown: rows drawn without any groups can look as grouped as the {n} rows of"
        f" {source} ({p_value(d['p_value'])})."
    )


def _cut(made: Json, split: int) -> str:
    """Return what happens when the rows are cut all the same."""
    stable, other = made["stability"], made["agreement"]
    shaky: list[str] = []
    firm: list[str] = []
    if stable and stable["weakest"] is not None:
        weak = stable["weakest"] < STABLE
        (shaky if weak else firm).append(
            "change with the rows that are drawn" if weak else "come back on other draws of these rows"
        )
    values = [p["agreement"]["value"] for p in (other["pairs"] if other else []) if p["first"] == "k-means"]
    if values:
        weak = min(values) < CLOSE
        (shaky if weak else firm).append(
            "depend on the method" if weak else "are much the same by other methods"
        )
    joined = [listed(said) for said in (firm, shaky) if said]
    tail = f"; these {' but '.join(joined)}" if joined else ""
    return (
        f"They can be cut into {split} parts all the same{tail}. A cut is a matter of choice, and no finding."
    )


def _remains(made: Json) -> str:
    """Return what is left to see where there are no clusters: the directions of the cloud."""
    d = made["map"]
    tail = "groups along columns that the file does not hold, or of very few rows, cannot be excluded"
    if not d:
        return f"What remains to be seen: {tail}."
    axis = d["axes"][0]
    names = listed([str(t) for t in axis["terms"][:3]]) if axis["terms"] else "no column"
    return (
        f"What remains to be seen is how they vary: {percent(axis['share'])} of the variance lies along"
        " one direction,"
        f" made of {names}; {tail}."
    )


def _some(made: Json, k: int, source: str) -> str:
    d, p = made["number"], made["profile"]
    shares = [c["share"]["value"] for c in p["clusters"]] if p else []
    sizes = f" with {shares_said(shares)} of the rows" if shares else ""
    votes = [c["k"] for c in d["criteria"].values() if c["k"] is not None]
    open_ = ", but the number is not clear" if 2 * votes.count(k) <= len(votes) else ""
    return f"The {count(d['n'])} rows of {source} fall into {k} clusters{sizes}{open_}."


def _differ(made: Json) -> str:
    p = made["profile"]
    told = [(c["name"], c["traits"]) for c in (p["clusters"] if p else []) if c["traits"]]
    if not told:
        return "What the clusters are like could not be described in a few words."
    most = 2 if len(told) <= 3 else 1
    parts = [f"cluster {name} has {listed([_short(t) for t in traits[:most]])}" for name, traits in told[:5]]
    return f"In short, {'; '.join(parts)}."


def _short(trait: str) -> str:
    """Return the beginning of what stands out in a cluster, without its numbers."""
    said = trait.rpartition(" (")[0]
    if said.endswith((" high", " low")):
        name, _, word = said.rpartition(" ")
        return f"{word} {name}"
    return said


def _trust(made: Json) -> str:
    d, stable, other = made["number"], made["stability"], made["agreement"]
    parts = [f"rows without groups do not look like this ({p_value(d['p_value'])})"]
    if stable and stable["weakest"] is not None:
        weak = [c["cluster"] for c in stable["clusters"] if not (c["jaccard"]["value"] or 0.0) >= STABLE]
        if not weak:
            parts.append("every cluster is found again when a fifth of the rows is left out")
        else:
            parts.append(
                f"cluster{'s' * (len(weak) > 1)} {listed(weak[:4])} changed when a fifth of the rows was"
                " left out"
            )
    pairs = [p for p in (other["pairs"] if other else []) if p["first"] == "k-means"]
    alike = [p["second"] for p in pairs if p["agreement"]["value"] >= CLOSE]
    if pairs:
        parts.append(
            f"{len(alike)} of {len(pairs)} other methods group{'s' * (len(alike) == 1)} the rows alike"
        )
    said = "; ".join(parts)
    return f"{said[:1].upper()}{said[1:]}."


def certificate_said(d: Json | None, k: int) -> str | None:
    """Return in plain words what the certificate of k-means proves; None without one."""
    if not d or not d["rows"]:
        return None
    c = d["rows"][0]["certificate"]
    proved = " Recomputed independently." if c["verified"] else " It could not be confirmed."
    if c["kind"] == "EXACT":
        if k == 1:
            return f"One group needs no search: its centre is the mean.{proved}"
        return f"No other {k} groups have smaller squares: these were found by an exact computation.{proved}"
    return (
        "Every row is with its nearest centre, and no further step of k-means improves the groups; that"
        " others fit"
        f" better is not excluded.{proved}"
    )


def next_step(made: Json, k: int, split: int) -> str | None:
    """Return the most useful thing to do next."""
    if made["number"]["p_value"] is None:
        return "Give the report more time (--time-limit), or fewer numbers of clusters to try (--ks)."
    if k == 1:
        return (
            "Decide which columns should count, and leave out the others (--drop): clusters in few"
            " columns are hidden by"
            " many that do not matter. If parts are needed for another reason, cut by a column that you"
            " choose."
        )
    d = made["number"]
    others = sorted({c["k"] for c in d["criteria"].values() if c["k"] not in (None, 1, k)})
    stable = made["stability"]
    if stable and stable["weakest"] is not None and stable["weakest"] < STABLE:
        return (
            "Look at the clusters that changed before you name them: collect more rows, or try fewer"
            " clusters with"
            " --ks."
        )
    if others:
        said = listed([str(o) for o in others])
        return f"Criteria name {said}, too: compare with --ks {others[0]} before you decide on the number."
    return (
        "Compare the clusters with something that did not make them: a column set aside with --drop, or what"
        " happens later."
    )
