"""The layout of stored rows: by table and kind of row, each attribute with DynamoDB's letter of its type."""

import json
import re
from pathlib import Path

FILE = Path(__file__).parents[1] / "samples" / "layouts" / "1.0.json"
"""What 1.0.0 wrote when it carried out `tests/samples/jobs`."""
LEDGER = FILE.with_name("1.0-ledger.json")
"""The attributes that 1.0.0 documents for each kind of row of the ledger."""
_KIND = re.compile(r"[^a-z]*([A-Za-z_]+[:#])")
_PERSONAL = re.compile(r"\+\d+|.+@.+")

Layout = dict[str, dict[str, dict[str, str]]]


def read() -> Layout:
    """The layout that is kept."""
    return json.loads(FILE.read_text())


def stored(client, stage: str) -> Layout:
    """The layout of every row that the tables of a stage hold."""
    found: Layout = {}
    for name in sorted(client.list_tables()["TableNames"]):
        if not name.endswith(f"-{stage}"):
            continue
        keys = [
            key["AttributeName"]
            for key in client.describe_table(TableName=name)["Table"]["KeySchema"]
        ]
        kinds = found.setdefault(name.removesuffix(f"-{stage}"), {})
        for page in client.get_paginator("scan").paginate(TableName=name):
            for row in page["Items"]:
                kind = kinds.setdefault(
                    kind_of([next(iter(row[key].values())) for key in keys]), {}
                )
                kind |= {attribute: next(iter(value)) for attribute, value in row.items()}
    return {table: kinds for table, kinds in found.items() if kinds}


def kind_of(keys: list[str]) -> str:
    """The fixed beginning of a row's keys, such as ``evt:`` or ``internal: page#``."""
    if _PERSONAL.fullmatch(keys[0]):
        return "a recipient's"
    beginnings = [_KIND.match(key) for key in keys]
    return " ".join(beginning[1] for beginning in beginnings if beginning) or "other"


def difference(kept: Layout, now: Layout) -> list[str]:
    """What is in one layout and not in the other, one line each."""
    lines = []
    for sign, layout, other in (("gone", kept, now), ("new", now, kept)):
        for table, kinds in layout.items():
            for kind, attributes in kinds.items():
                there = other.get(table, {}).get(kind, {})
                lines += [
                    f"{sign}: {table}, {kind}, {name} ({letter})"
                    for name, letter in attributes.items()
                    if there.get(name) != letter
                ]
    return sorted(lines)
