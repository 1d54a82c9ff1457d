"""Writes the desk's acts into two pages: `python -m bench.report.desk`.

``docs/openapi.yaml`` gets their schema and an error code for each field, ``docs/outreach-people.md`` a table.
"""

from __future__ import annotations

import json
from pathlib import Path

from bench.report import marked
from chalicelib.outreach.desk.act_row import ActField, FieldKind
from chalicelib.outreach.desk.acts import ACTS
from chalicelib.outreach.desk.asked import BY
from chalicelib.outreach.people import persons

_PERSON = '$ref: "#/components/schemas/DeskPerson"'


def pages() -> dict[Path, str]:
    """The new texts of both pages, by path."""
    docs = marked.ROOT / "docs"
    openapi, people = docs / "openapi.yaml", docs / "outreach-people.md"
    text = openapi.read_text()
    for part, indent, lines in (("schema", 4, _schema()), ("codes", 12, _codes())):
        end = f"{' ' * indent}# end of {part}"
        text = marked.replaced(text, f"# {part} of acts", end, lines)
    marks = ("<!-- acts -->", "<!-- end of acts -->")
    return {
        openapi: text,
        people: marked.replaced(people.read_text(), *marks, ["", *_table(), ""]),
    }


def _table() -> list[str]:
    rows = [
        (
            f"`{act.name}`",
            ", ".join(f"`{field.name}`" for field in act.fields if field.is_needed),
            ", ".join(f"`{field.name}`" for field in act.fields if not field.is_needed),
            act.words.does,
        )
        for act in ACTS.values()
    ]
    return marked.table(("act", "needs", "takes", "what it does"), rows)


def _schema() -> list[str]:
    names = dict.fromkeys(field.name for act in ACTS.values() for field in act.fields)
    return [
        f"    DeskPerson: {{type: string, pattern: {json.dumps(f'^{persons.PATTERN}$')}}}",
        "    DeskAct:",
        "      type: object",
        "      required: [act, version]",
        "      properties:",
        f"        act: {{type: string, enum: [{', '.join(ACTS)}]}}",
        f"        by: {{{_PERSON}, description: {_sentence(BY.hint)}, examples: [sam]}}",
        '        version: {type: string, pattern: "^[0-9a-f]{16}$", description: As it was shown.}',
        *(f"        {name}: {{{_type(name)}, description: {_uses(name)}}}" for name in names),
    ]


def _of(name: str) -> dict[str, ActField]:
    """The fields with a name, by the act that takes them."""
    return {act.name: field for act in ACTS.values() for field in act.fields if field.name == name}


def _type(name: str) -> str:
    first, *_ = fields = list(_of(name).values())
    match first.kind:
        case FieldKind.PERSON:
            return _PERSON
        case FieldKind.MOMENT:
            return "type: string, format: date-time"
        case FieldKind.TEXT | FieldKind.LINE:
            return (
                f"type: string, minLength: 1, maxLength: {max(field.longest for field in fields)}"
            )


def _uses(name: str) -> str:
    """A field's description: which acts take the field, and for what."""
    uses = (
        f"{act}{', required' if field.is_needed else ''}: {field.hint}"
        for act, field in _of(name).items()
    )
    return json.dumps(f"{'; '.join(uses)}.")


def _sentence(words: str) -> str:
    return json.dumps(f"{words[0].upper()}{words[1:]}.")


def _codes() -> list[str]:
    names = {BY.name, *(field.name for act in ACTS.values() for field in act.fields)}
    return [f"            - INVALID_{name.upper()}" for name in sorted(names)]


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
