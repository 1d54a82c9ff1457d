"""Judges by agents' acts which departments' tickets could be answered automatically without harm.

A ticket that would have been answered shows *harm* if an agent did something that an answer would
have hindered.  It shows *gain* if an agent answered and did nothing of that kind.  Until either is
known, it does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.intents.departments import RISK_TAG
from chalicelib.support.shadow_decisions import PERSON, decision_to_follow
from ops.session import Session
from ops.support import labels
from ops.support.bounds import share

RISK, STOPPED, OTHER_TEAM = "risk_tag", "stop_tag", "other_team"
_READ = ("conversation_id", "decisions", "people", "labels")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One ticket with a decision made in shadow mode, and what agents did.

    Attributes:
        decided: the decision that agents' acts are compared with (`shadow_decisions`).
        done: what agents have done since; None if unknown.
        label: a person's label on that decision, if any.
        labelled: every label on the ticket.
    """

    ticket: str
    decided: Mapping[str, Any] = field(repr=False)
    done: Mapping[str, Any] | None = field(default=None, repr=False)
    label: str | None = None
    labelled: tuple[str, ...] = ()

    @property
    def would_answer(self) -> bool:
        """Whether the ticket would have been answered, or asked for an order number."""
        return str(self.decided["decision"]) != PERSON

    def harms(self, rules: Rules) -> list[str]:
        """Codes of agents' acts, or the label, that show harm."""
        found, done = [], self.done or {}
        tags = {_alike(tag) for tag in done.get("tags", ())}
        if any(tag.startswith(RISK_TAG.format("")) for tag in tags):
            found.append(RISK)
        if tags & {_alike(tag) for tag in rules.stop_tags}:
            found.append(STOPPED)
        if done.get("team") not in (None, self.decided["team"]):
            found.append(OTHER_TEAM)
        if self.label not in (None, labels.RIGHT, *labels.CAUTIOUS):
            found.append(f"label:{self.label}")
        return found

    def is_gain(self, rules: Rules) -> bool:
        """Whether a person answered the ticket or labelled the decision right, without harm."""
        is_answered = bool((self.done or {}).get("answered"))
        return (is_answered or self.label == labels.RIGHT) and not self.harms(rules)


def read(session: Session, tickets: Sequence[str], since: str) -> dict[str, Outcome]:
    """Read from table B the outcomes of tickets with a decision since a time."""
    table = session.services.table(session.services.settings.state_table)
    rows = table.get_all([{"conversation_id": ticket} for ticket in tickets], attributes=_READ)
    found: dict[str, Outcome] = {}
    for row in rows if tickets else ():
        decided = decision_to_follow(row.get("decisions") or ())
        if decided is None or decided["made"] < since:
            continue
        people = row.get("people") or {}
        said = row.get("labels") or ()
        found[row["conversation_id"]] = Outcome(
            ticket=row["conversation_id"],
            decided=decided,
            done=people if people.get("event") == decided["event"] else None,
            label=labels.of_event(said, decided["event"]),
            labelled=tuple(str(label["code"]) for label in said),
        )
    return found


def compared(found: Iterable[Outcome], rules: Rules) -> dict[str, Any]:
    """Harm and gain by department and by intent, and the count of each label."""
    listed = list(found)
    said = Counter(code for outcome in listed for code in outcome.labelled)
    return {
        "limit": rules.document.answers.harm_limit,
        "decided": len(listed),
        "departments": _by(listed, rules, "team", lambda name: rules.answers(name, "")),
        "intents": _by(listed, rules, "intent", lambda name: rules.answers("", name)),
        "labels": {code: said.get(code, 0) for code in (labels.RIGHT, *labels.WRONG)},
    }


def _by(
    listed: Sequence[Outcome], rules: Rules, what: str, is_on: Callable[[str], bool]
) -> list[dict[str, Any]]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in listed:
        groups.setdefault(str(outcome.decided[what]), []).append(outcome)
    rows = [_row(name, group, rules, is_on(name)) for name, group in groups.items()]
    return sorted(rows, key=lambda row: (-row["would_answer"], row["name"]))


def _row(name: str, group: Sequence[Outcome], rules: Rules, is_on: bool) -> dict[str, Any]:  # noqa: FBT001
    would = [outcome for outcome in group if outcome.would_answer]
    harmed = [outcome for outcome in would if outcome.harms(rules)]
    gained = [outcome for outcome in would if outcome.is_gain(rules)]
    known = len(harmed) + len(gained)
    harm = share(len(harmed), known)
    limit = rules.document.answers.harm_limit
    return {
        "name": name,
        "decided": len(group),
        "would_answer": len(would),
        "harm": harm,
        "gain": share(len(gained), known),
        "harms": dict(Counter(code for outcome in harmed for code in outcome.harms(rules))),
        "is_on": is_on,
        "may_be_switched_on": harm["high"] is not None and harm["high"] < limit,
    }


def _alike(tag: str) -> str:
    return "-".join(tag.lower().replace("_", " ").replace("-", " ").split())
