"""The shadow report as people read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ops.output import Output
from ops.support.bounds import said

_COUNTS = ("messages", "answered", "could_be_answered", "uncertain", "escalated", "withheld")


def show_report(output: Output, found: Mapping[str, Any]) -> None:
    """Print every part of the report."""
    many = f"{found['messages']} messages in {found['conversations']} conversations"
    kind = "a random sample" if found["is_sample"] else "all of them"
    output.say(f"{found['stage']}: {many} since {found['since']}, {kind}")
    output.say(f"settings version {found['settings_version']}")
    for title, rows in (("intent", found["intents"]), ("team", found["teams"])):
        output.say("")
        cells = [[row["name"], *(row[name] for name in _COUNTS)] for row in rows]
        output.table((title, *(name.replace("_", " ") for name in _COUNTS)), cells)
    output.say("\nwhy not answered", style="bold")
    output.facts(found["reasons"])
    _tickets(output, found["tickets"])
    _switching_on(output, found["switching_on"])
    _quality(output, found["quality"])
    output.say("\na sample to read", style="bold")
    columns = ("ticket", "intent", "confidence", "department", "people", "answer", "reason", "link")
    output.table(columns, [[row[name] for name in columns] for row in found["sample"]])


def _tickets(output: Output, tickets: Mapping[str, Any]) -> None:
    output.say("\nwhat people did", style="bold")
    output.facts(
        {
            "tickets read": tickets["read"],
            "not shown by Richpanel": tickets["unreadable"],
            "in no department": tickets["in_no_department"],
            "routed otherwise": said(tickets["routed_otherwise"]),
            "tagged otherwise": said(tickets["tagged_otherwise"]),
        }
    )
    rows = [(one["from"], one["to"], one["tickets"]) for one in tickets["moves"]]
    if rows:
        output.table(("routed to", "people moved it to", "tickets"), rows)


def _switching_on(output: Output, found: Mapping[str, Any]) -> None:
    output.say("\nswitching answers on", style="bold")
    output.facts(
        {
            "would save at most": said(found["saves_at_most"]),
            "a week, at most": found["saves_a_week_at_most"],
            "a person's first answer took, minutes": found["median_wait_for_a_person_minutes"],
            "of those, people had elsewhere": said(found["people_routed_otherwise"]),
        }
    )
    output.say(
        "At most: an order that is not found, a closed ticket or an address that is not on the"
        " allow-list is not answered; in shadow mode none of these is looked up."
    )
    if found["does_not_say"]:
        output.say(f"{found['does_not_say']} decisions do not say whether they could be answered")


def _quality(output: Output, found: Mapping[str, Any]) -> None:
    if not found["answered"]:
        return
    output.say("\nafter automatic answers", style="bold")
    names = ("reopened", "wrote_again", "complained", "routed_otherwise")
    shares = {name.replace("_", " "): said(found[name]) for name in names}
    output.facts({"answered": found["answered"], "read": found["read"]} | shares)
    rows = [
        (one["week"], one["read"], *(one[name]["count"] for name in names[1:]))
        for one in found["weeks"]
    ]
    output.table(("week", "read", *(name.replace("_", " ") for name in names[1:])), rows)
