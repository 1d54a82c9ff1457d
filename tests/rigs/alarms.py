"""The alarms of `.chalice/resources.json`, and the metrics that CloudWatch makes of a log."""

import json
import re
from pathlib import Path
from typing import Any

from ops.stage.template import COMPOSITE, StageTemplate

RAW = json.loads((Path(__file__).parents[2] / ".chalice" / "resources.json").read_text())
ALARMS = {k: v for k, v in RAW["Resources"].items() if v.get("Type") == "AWS::CloudWatch::Alarm"}
COMPOSITES = {
    match[1]: resource["Properties"]
    for resource in RAW["Resources"].values()
    if resource.get("Type") == COMPOSITE
    and (match := re.search(r"\{(\w+)\}", resource["Properties"]["AlarmRule"]["Fn::Sub"]))
}
"""The alarms that notify in place of another, by the logical id of that other."""
Series = tuple[str, str, frozenset[tuple[str, str]]]
"""A metric: namespace, name, and the dimensions with their values."""


def alarms() -> dict[str, dict[str, Any]]:
    """Every alarm of stage dev, by name, with its functions resolved."""
    stage = StageTemplate(RAW, {"Stage": "dev"}, account="0" * 12, region="us-east-1")
    found = {}
    for alarm in ALARMS.values():
        properties = {k: v for k, v in alarm["Properties"].items() if not k.endswith("Actions")}
        resolved = stage.resolved(properties)
        found[resolved["AlarmName"].removeprefix("rp-mw-dev-")] = resolved
    return found


def series(alarm: dict[str, Any]) -> Series:
    dimensions = frozenset(
        (dimension["Name"], dimension["Value"]) for dimension in alarm["Dimensions"]
    )
    return alarm["Namespace"], alarm["MetricName"], dimensions


def series_in(output: str) -> set[Series]:
    """Every metric that CloudWatch would make of these lines."""
    found = set()
    for line in output.splitlines():
        record = json.loads(line) if line.startswith('{"_aws"') else {"_aws": {}}
        for metrics in record["_aws"].get("CloudWatchMetrics", []):
            for labels in metrics["Dimensions"]:
                values = frozenset((label, record[label]) for label in labels)
                found |= {(metrics["Namespace"], m["Name"], values) for m in metrics["Metrics"]}
    return found
