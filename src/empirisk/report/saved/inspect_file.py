"""``empirisk inspect``: what a model file says about itself."""

from __future__ import annotations

from typing import Any

from empirisk import wording
from empirisk.report.read.carried import carried
from empirisk.report.read.table import Table

__all__ = ["inspect_lines"]

Json = dict[str, Any]


def inspect_lines(metadata: Json) -> list[str]:
    """Return a summary for people.

    Parameters
    ----------
    metadata : dict
        JSON of the model file.
    """
    task, model = metadata["task"], metadata["model"]
    features = [c for c in metadata["decisions"]["columns"] if c["role"] == "feature"]
    alpha = "" if model["alpha"] is None else f", alpha = {model['alpha']:.3g}"
    what = {
        "binary": f"whether {task['target']} is {task['positive']}",
        "multiclass": f"which of {len(task['classes'] or [])} classes {task['target']} is",
        "regression": f"the number {task['target']}",
        "clusters": f"which of {wording.counted(len(task['classes'] or []), 'cluster')} a row falls into",
    }[task["kind"]]
    uses = (
        f"from {wording.counted(len(features), 'column')} ({wording.counted(model['n_terms'], 'term')})"
        if model["name"] != "baseline"
        else "with one constant answer, from no column"
    )
    lines = [
        f"{model['label']}{alpha}: predicts {what} {uses}.",
        (
            f"Trained on {model['n_train']:,} rows of {metadata['decisions']['source']['name']},"
            f" {metadata['created']}."
        ),
    ]
    lines += [model["step"]] if "step" in model else []
    lines += carried(Table.from_decisions(metadata["decisions"])) if task["kind"] != "clusters" else []
    for m in metadata["metrics"]:
        lines.append(f"  test {m['label']} {wording.estimate(m['model'])}, n = {m['model']['n']:,}")
    certificate = metadata["certificate"]
    if certificate is not None:
        lines.append(f"Fit: {certificate['claim']}.")
    lines.append(f"Fingerprint of the data: {metadata['fingerprint']}")
    lines.append("Made with " + ", ".join(f"{k} {v}" for k, v in metadata["versions"].items()) + ".")
    lines.append("Columns:")
    lines += [
        f"  {c['name']}: {c['kind']}" + (f", {len(c['levels'])} levels" if c["levels"] else "")
        for c in features
    ]
    return lines
