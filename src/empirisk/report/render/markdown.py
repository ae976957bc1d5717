"""The report as Markdown: the same sections and numbers as the page, without its pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from empirisk.report.render.figures import made_by
from empirisk.report.render.html import SECTIONS, setting, top_findings
from empirisk.report.render.schema import validate_report
from empirisk.report.sections.methods import estimates, methods, point
from empirisk.wording import brief, count, plain, share, shorten

__all__ = ["render_markdown"]

Json = dict[str, Any]
Lines = list[str]


def esc(said: str) -> str:
    """Return the text that Markdown and HTML in Markdown leave alone: one line, every special character
    inert.
    """
    one_line = " ".join(said.split())
    safe = one_line.replace("&", "&amp;").replace("<", "&lt;")
    safe = re.sub(r"([\\`*_\[\]{}|~$#])", r"\\\1", safe)
    safe = re.sub(r"^(\d+)([.)])", r"\1\\\2", safe)
    return re.sub(r"^([-+>=])", r"\\\1", safe)


def _code(said: str) -> str:
    """Return inline code with a fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", said)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{' '.join(said.split())}{pad}{fence}".replace("|", "\\|")


def _block(said: str) -> Lines:
    longest = max((len(run) for run in re.findall(r"`+", said)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *said.splitlines(), fence, ""]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    body = ["| " + " | ".join(row) + " |" for row in rows]
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head), *body, ""]


def _bullets(sentences: Iterable[str]) -> Lines:
    lines = [f"- {s}" for s in sentences]
    return [*lines, ""] if lines else []


def _e(e: Json | None) -> str:
    return brief(e)


def _d(e: Json | None) -> str:
    return brief(e, sign=True)


def _how(pairs: list[tuple[str, Json | None]]) -> Lines:
    return _bullets(
        f"{esc(m.labels)}: {share(m.level)}, n = {count(m.n)}, {esc(m.method)}"
        + (f" ({esc(m.reason)})" if m.reason else "")
        for m in methods(pairs)
    )


def _absent(report: Json, *keys: str) -> Lines:
    return [line for key in keys if key in report["absent"] for line in (esc(report["absent"][key]), "")]


def _verdict(r: Json) -> Lines:
    v, h = r["verdict"], r["verdict"]["headline"]
    rows = [
        [esc(r["model"]["label"]), _e(h["model"])],
        ["Baseline", _e(h["baseline"])],
        ["Difference", _d(h["difference"])],
    ]
    lines = [esc(v["sentence"]), "", *_table(["", esc(h["label"])], rows)]
    lines += [f"Test part; {esc(made_by(h['model']))}.", ""]
    if v["certificate"]:
        lines += [esc(v["certificate"]), ""]
    if v["next_step"]:
        gain = v["next_step"]["gain"]
        said = f" {_e(gain)} ({esc(made_by(gain))})" if gain else ""
        lines += [f"Next step: {esc(v['next_step']['sentence'])}{said}", ""]
    lines += [line for part in r.get("failed", []) for line in (esc(part["sentence"]), "")]
    return lines + _bullets(
        f"**{f['level']}** {esc(f['code'])}: {esc(f['sentence'])}" for _, f in top_findings(r)
    )


def _split(r: Json) -> Lines:
    s, classes = r["split"], r["task"]["classes"] or []
    head = ["Part", "Rows", *(esc(c) for c in classes)]
    rows = []
    for p in s["parts"]:
        counts = p["class_counts"] or [None] * len(classes)
        rows.append([p["name"], count(p["n_rows"]), *("–" if n is None else count(n) for n in counts)])
    said = [s["reason"], s["folds"]["sentence"] if s["folds"] else ""]
    return [esc(" ".join(said)), "", *_table(head, rows)]


def _data(r: Json) -> Lines:
    d = r["data"]
    lines = [
        f"{count(d['n_rows'])} rows and {count(d['n_columns'])} columns in {esc(d['source'])}.",
        "",
        *_split(r),
    ]
    rows = [
        [
            esc(shorten(c["name"], 60)),
            c["role"],
            f"{c['type']}: {esc(c['reason'])}",
            count(c["missing"]),
            count(c["distinct"]),
            esc(c["summary"] or ""),
            " ".join(
                [*(esc(w) for w in c["warnings"]), _code(c["override"]) if c["override"] else ""]
            ).strip(),
        ]
        for c in d["columns"]
    ]
    lines += _table(["Column", "Role", "Type", "Missing", "Distinct", "Values", "Remarks"], rows)
    done = [d["duplicates"]["sentence"]] if d["duplicates"] else []
    return lines + _bullets(esc(s) for s in [*done, *d["handling"]])


def _candidates(r: Json) -> Lines:
    s = r["selection"]
    lines = [esc(" ".join(filter(None, (s["sentence"], s["other_rule"])))), ""]
    rows = []
    for c in r["candidates"]:
        settings = ", ".join(f"{k} = {setting(v)}" for k, v in c["parameters"].items())
        tags = [t for t, on in (("chosen", c["chosen"]), (c["role"], c["role"] != "candidate")) if on]
        name = c["label"] + (f" ({', '.join(tags)})" if tags else "")
        size = f"{count(c['complexity']['value'])} {c['complexity']['unit']}" if c["complexity"] else "–"
        chance = share(c["best_probability"]) if c["best_probability"] is not None else "–"
        scores = [_e(c["score"]), _d(c["versus_baseline"]), _d(c["versus_best"])]
        rows.append([esc(name), esc(settings), *scores, chance, esc(size), plain(c["fit_seconds"], 2)])
    unit = f" ({s['unit']})" if s["unit"] else ""
    score = esc(f"{s['label']}{unit}")
    head = ["Candidate", "Settings", score, "Against the baseline", "Against the best"]
    lines += _table([*head, "Chance to be best", "Complexity (median over the folds)", "Seconds"], rows)
    certified = [(c["label"], c["certificate"]) for c in r["candidates"] if c["certificate"]]
    lines += _bullets(f"{esc(label)}: {esc(c['claim'])}" for label, c in certified)
    return lines + _how(estimates(r)["candidates"]) + _absent(r, "selection_curves")


def _test(r: Json) -> Lines:
    t, made = r["test"], estimates(r)
    head = ["Metric", "Model", "Baseline", "Difference"]
    rows = [
        [
            esc(x["label"] + (f" ({x['unit']})" if x["unit"] else "")),
            _e(x["model"]),
            _e(x["baseline"]),
            _d(x["difference"]),
        ]
        for x in t["metrics"]
    ]
    lines = [esc(t["sentence"]), "", *_table(head, rows), *_how(made["test"])]
    c = t["confusion"]
    if c:
        rows = [[esc(v), *map(count, row)] for v, row in zip(c["labels"], c["counts"], strict=True)]
        lines += _table(["Observed, then predicted", *(esc(v) for v in c["labels"])], rows)
        for key in ("recall", "precision"):
            pairs = zip(c["labels"], c[key] or [], strict=False)
            lines += _bullets(f"{key} of {esc(v)}: {_e(e)}" for v, e in pairs)
        lines += _how(made["confusion"])
    if t["calibration"]:
        rows = [
            [plain(b["predicted"], 3), _e(b["observed"]), count(b["n"])] for b in t["calibration"]["bins"]
        ]
        lines += _table([esc(f"Predicted {t['calibration']['about']}"), "Observed share", "Rows"], rows)
        lines += [esc(t["calibration"]["test"]["sentence"]), ""] if t["calibration"]["test"] else []
    if t["quantiles"] and t["quantiles"]["sentence"]:
        lines += [esc(t["quantiles"]["sentence"]), ""]
    if t["coverage"]:
        rows = [[share(v["nominal"]), _e(v["observed"]), plain(v["width"], 3)] for v in t["coverage"]]
        lines += [*_table(["Promised", "Observed coverage", "Width"], rows), *_how(made["coverage"])]
    if t["subgroups"]:
        rows = [
            [esc(g["column"]), esc(g["value"]), count(g["score"]["n"]), _e(g["score"])]
            for g in t["subgroups"]["groups"]
        ]
        lines += [esc(t["subgroups"]["multiplicity"]), ""]
        lines += [
            *_table(["Column", "Value", "Rows", esc(t["subgroups"]["label"])], rows),
            *_how(made["subgroups"]),
        ]
    return lines + _absent(r, *(f"test.{key}" for key in t if t[key] is None))


def _model(r: Json) -> Lines:
    d, made = r["model"], estimates(r)
    lines = [esc(d["sentence"]), ""]
    if d["certificate"]:
        lines += [esc(d["certificate"]["claim"]), ""]
    if d["coefficients"]:
        lines += [esc(d["coefficients_note"]), ""] if d["coefficients_note"] else []
        rows = [
            [
                esc(shorten(c["term"], 60)),
                esc(c["class"] or ""),
                "zero" if c["zero"] else _d(c["value"]),
                _d(c["per_sd"]),
            ]
            for c in d["coefficients"]
        ]
        lines += _table(["Term", "Class", "Per unit", "Per standard deviation"], rows) + _how(
            made["coefficients"]
        )
    if d["importances"]:
        lines += [esc(d["importances_note"]), ""] if d["importances_note"] else []
        rows = [[esc(shorten(i["column"], 60)), _e(i["value"])] for i in d["importances"]]
        lines += _table(["Column", esc(d["importances_label"] or "Importance")], rows) + _how(
            made["importances"]
        )
    for c in d["dependence"] or []:
        ends = [
            f"{esc(str(c['labels'][i]))}: {plain(c['value'][i], 3)} "
            f"[{plain(c['band_low'][i], 3)}, {plain(c['band_high'][i], 3)}]"
            for i in sorted({0, len(c["labels"]) // 2, len(c["labels"]) - 1})
        ]
        lines += [f"- Mean {esc(c['scale'])} with {esc(c['column'])} at {'; '.join(ends)}"]
    lines += ["", f"Bands: {made_by(d['dependence'][0])}.", ""] if d["dependence"] else []
    return lines + _absent(r, "model.coefficients", "model.importances", "model.dependence")


def _learning(r: Json) -> Lines:
    return [*_curve(r), *_attribution(r), *_bounds(r)]


def _curve(r: Json) -> Lines:
    c = r["learning_curve"]
    if c is None:
        nothing = "No learning curve was computed, so this report cannot tell whether more rows would help."
        return [esc(r["absent"].get("learning_curve", nothing)), ""]
    rows = [[count(n), _e(point(c["validation"], i))] for i, n in enumerate(c["x"])]
    more = c["extrapolation"]
    if more and more["score"]:
        rows.append([f"{count(more['n_rows'])} (expected)", _e(more["score"])])
    lines = [esc(c["sentence"]), ""] if c["sentence"] else []
    return (
        lines
        + _table(["Training rows", esc(f"Held-out {c['label']}")], rows)
        + _how(estimates(r)["learning"])
    )


def _attribution(r: Json) -> Lines:
    a = r["attribution"]
    if a is None:
        return _absent(r, "attribution")
    rows = []
    for p in a["parts"]:
        ends = ["–" if p[end] is None else plain(p[end], 2) for end in ("low", "high")]
        rows.append([esc(p["part"]), *ends, p["standing"], esc(p["how"])])
    head = ["Part", "At least", "At most", "Standing", "How it is known"]
    return [f"### Where the error comes from ({esc(a['label'])} {_e(a['risk'])})", "", *_table(head, rows)]


def _bounds(r: Json) -> Lines:
    b = r["bounds"]
    if b is None:
        return _absent(r, "bounds")
    rows = [
        [
            esc(x["bound"]) + (" (vacuous)" if x["vacuous"] else ""),
            plain(x["value"], 3),
            "–" if x["measured"] is None else f"{plain(x['measured'], 3)} ({x['measured_on']})",
            esc(x["kind"]),
            esc("; ".join(f"{c['text']} ({c['source']})" for c in x["assumptions"])),
        ]
        for x in b["rows"]
        if x["applies"]
    ]
    head = [esc(f"Bound on the {b['label']}"), "At most", "Measured", "About", "If"]
    others = [f"{esc(x['bound'])} does not apply: {esc(x['reason'])}" for x in b["rows"] if not x["applies"]]
    return ["### What theorems promise", "", esc(b["sentence"]), "", *_table(head, rows), *_bullets(others)]


_HEADINGS = (
    ("nothing", "Checked, nothing found"),
    ("cannot_tell", "Checked, and these rows cannot tell"),
    ("not_run", "Could not be checked"),
)


def _findings(r: Json) -> Lines:
    lines: Lines = []
    for f in r["findings"]:
        lines += [f"### {esc(f['code'])} ({f['level']}): {esc(f['sentence'])}", ""]
        pairs = [
            ("Where", ", ".join(f["where"])),
            ("Evidence", f["evidence"]),
            ("Wrong if", f["doubt"]),
            ("What to do", f["advice"]),
        ]
        lines += _bullets(f"{key}: {esc(said)}" for key, said in pairs if said)
    if not r["findings"]:
        lines += ["The checks found nothing to report.", ""]
    for outcome, heading in _HEADINGS:
        some = [c for c in r["checks"] if c["outcome"] == outcome]
        if some:
            lines += [
                f"### {heading}",
                "",
                *_bullets(f"{esc(c['name'])}: {esc(c['sentence'])}" for c in some),
            ]
    return lines


def _limits(r: Json) -> Lines:
    return _bullets(esc(s) for s in r["limits"])


def _reproduce(r: Json) -> Lines:
    p = r["provenance"]
    versions = ", ".join(
        [f"empirisk {p['version']}", f"Python {p['python']}", *(f"{k} {v}" for k, v in p["packages"].items())]
    )
    settings = ", ".join(f"{k} = {setting(v)}" for k, v in p["settings"].items())
    said = [
        f"Made {esc(p['created'])} in {plain(p['seconds'], 2)} seconds",
        f"Versions: {esc(versions)}",
        f"Seed: {p['seed']}",
        f"Settings: {esc(settings)}",
        f"SHA-256 of the parsed table: {_code(p['fingerprint'])}",
        f"Cite: {esc(p['citation'])}",
    ]
    return [*_block(p["command"]), *_block(p["load_code"]), *_bullets(said)]


_WRITERS = {
    "verdict": _verdict,
    "data": _data,
    "candidates": _candidates,
    "test": _test,
    "model": _model,
    "learning": _learning,
    "findings": _findings,
    "limits": _limits,
    "reproduce": _reproduce,
}


def render_markdown(report: Json) -> str:
    """Render a report as Markdown.

    Parameters
    ----------
    report : dict
        The content of ``report.json``; it is validated first.

    Returns
    -------
    str
        GitHub-flavoured Markdown; names and sentences from the data are inert in it.

    Raises
    ------
    ReportSchemaError
        Names the key of the report that is at fault.
    """
    validate_report(report)
    lines = [f"# {esc(report['task']['sentence'])}", ""]
    for key, heading in SECTIONS:
        lines += [f"## {heading}", "", *_WRITERS[key](report)]
    return "\n".join(lines).rstrip() + "\n"
