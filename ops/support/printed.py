"""Prints the shadow report for people."""

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
    _shadow(output, found["shadow"])
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
    rows = [(move["from"], move["to"], move["tickets"]) for move in tickets["moves"]]
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
    output.say("At most: an address that is not on the allow-list is not answered.")
    if found["does_not_say"]:
        output.say(f"{found['does_not_say']} decisions do not say whether they could be answered")


def _shadow(output: Output, found: Mapping[str, Any]) -> None:
    if not found["decided"]:
        return
    for what in ("departments", "intents"):
        output.say(f"\nharm and gain of what would have been answered, by {what}", style="bold")
        rows = [
            (
                row["name"],
                row["would_answer"],
                said(row["harm"]),
                row["gain"]["count"],
                ", ".join(f"{code} {many}" for code, many in row["harms"].items()) or "-",
                "on" if row["is_on"] else "may be" if row["may_be_switched_on"] else "no",
            )
            for row in found[what]
        ]
        columns = (what, "would answer", "harm", "gain", "what people did", "switched on")
        output.table(columns, rows)
    output.say(
        f"may be: the upper bound of its harm is below {found['limit']:.1%}; a person switches it on"
        " by answers.departments or answers.intents of the settings document"
    )
    labelled = {code: many for code, many in found["labels"].items() if many}
    if labelled:
        output.say("\nlabels", style="bold")
        output.facts(labelled)


def _quality(output: Output, found: Mapping[str, Any]) -> None:
    if not found["answered"]:
        return
    output.say("\nafter automatic answers", style="bold")
    names = ("reopened", "wrote_again", "complained", "routed_otherwise")
    shares = {name.replace("_", " "): said(found[name]) for name in names}
    output.facts({"answered": found["answered"], "read": found["read"]} | shares)
    rows = [
        (week["week"], week["read"], *(week[name]["count"] for name in names[1:]))
        for week in found["weeks"]
    ]
    output.table(("week", "read", *(name.replace("_", " ") for name in names[1:])), rows)
