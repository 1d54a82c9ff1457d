"""What people did with tickets that would have been answered, and which departments may be switched on.

A ticket that would have been answered shows *harm* where a person did something that an answer would
have got in the way of; it shows *gain* where a person answered and did none of that.  Where neither is
known yet, it counts for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.intents.departments import RISK_TAG
from chalicelib.support.shadow_decisions import PERSON, to_follow
from ops.session import Session
from ops.support import labels
from ops.support.bounds import share

RISK, STOPPED, OTHER_TEAM = "risk_tag", "stop_tag", "other_team"
_READ = ("conversation_id", "decisions", "people", "labels")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One ticket with a decision made in shadow.

    Attributes:
        decided: the decision by which people's acts are judged; see `shadow_decisions`.
        done: what people have done since, where that is known.
        label: what a person says of it.
        labelled: every label on the ticket.
    """

    ticket: str
    decided: Mapping[str, Any] = field(repr=False)
    done: Mapping[str, Any] | None = field(default=None, repr=False)
    label: str | None = None
    labelled: tuple[str, ...] = ()

    @property
    def would_answer(self) -> bool:
        """It would have been answered, or asked for its number."""
        return str(self.decided["decision"]) != PERSON

    def harms(self, rules: Rules) -> list[str]:
        """Codes of what a person did that shows harm."""
        found, done = [], self.done or {}
        tags = {_alike(one) for one in done.get("tags", ())}
        if any(one.startswith(RISK_TAG.format("")) for one in tags):
            found.append(RISK)
        if tags & {_alike(one) for one in rules.stop_tags}:
            found.append(STOPPED)
        if done.get("team") not in (None, self.decided["team"]):
            found.append(OTHER_TEAM)
        if self.label not in (None, labels.RIGHT, *labels.CAUTIOUS):
            found.append(f"label:{self.label}")
        return found

    def is_gain(self, rules: Rules) -> bool:
        """A person answered likewise, or says that the decision was right."""
        is_answered = bool((self.done or {}).get("answered"))
        return (is_answered or self.label == labels.RIGHT) and not self.harms(rules)


def read(session: Session, tickets: Sequence[str], since: str) -> dict[str, Outcome]:
    """The outcomes of tickets with a decision since a time, as table B has them."""
    table = session.services.table(session.services.settings.state_table)
    rows = table.get_all([{"conversation_id": one} for one in tickets], attributes=_READ)
    found: dict[str, Outcome] = {}
    for row in rows if tickets else ():
        decided = to_follow(row.get("decisions") or ())
        if decided is None or decided["made"] < since:
            continue
        people = row.get("people") or {}
        said = row.get("labels") or ()
        found[row["conversation_id"]] = Outcome(
            ticket=row["conversation_id"],
            decided=decided,
            done=people if people.get("event") == decided["event"] else None,
            label=labels.of_event(said, decided["event"]),
            labelled=tuple(str(one["code"]) for one in said),
        )
    return found


def compared(found: Iterable[Outcome], rules: Rules) -> dict[str, Any]:
    """Harm and gain by department and intent, and the counts of the labels."""
    listed = list(found)
    said = Counter(code for one in listed for code in one.labelled)
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
    for one in listed:
        groups.setdefault(str(one.decided[what]), []).append(one)
    rows = [_row(name, group, rules, is_on(name)) for name, group in groups.items()]
    return sorted(rows, key=lambda row: (-row["would_answer"], row["name"]))


def _row(name: str, group: Sequence[Outcome], rules: Rules, is_on: bool) -> dict[str, Any]:  # noqa: FBT001
    would = [one for one in group if one.would_answer]
    harmed = [one for one in would if one.harms(rules)]
    gained = [one for one in would if one.is_gain(rules)]
    known = len(harmed) + len(gained)
    harm = share(len(harmed), known)
    limit = rules.document.answers.harm_limit
    return {
        "name": name,
        "decided": len(group),
        "would_answer": len(would),
        "harm": harm,
        "gain": share(len(gained), known),
        "harms": dict(Counter(code for one in harmed for code in one.harms(rules))),
        "is_on": is_on,
        "may_be_switched_on": harm["high"] is not None and harm["high"] < limit,
    }


def _alike(tag: str) -> str:
    return "-".join(tag.lower().replace("_", " ").replace("-", " ").split())
