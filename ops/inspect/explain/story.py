"""Describes an event in sentences, for a reader who knows the customer and not the system; pure.

The command line and the console show the same text.  It begins with why something was *not*
answered, then follows the event's life.  It holds no message text and no personal data, because
none is stored with an event.
"""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.once.event import SWEEP_SECONDS
from chalicelib.once.journal import ASKED
from chalicelib.once.keys import is_resent
from chalicelib.once.plan import Plan
from chalicelib.outreach.channels import CHANNELS
from chalicelib.outreach.reasons import DECLINED
from chalicelib.support.effects import REPLY
from chalicelib.support.replies.guard_rails import HOLDING_REASONS
from ops import unreachable
from ops.inspect.explain import attempts, plain_words
from ops.inspect.explain.stored import ENDED, Row, Stored, is_desk_act, receipt_of

_VENDOR_OF = {
    kind.name: kind.vendor for kind in (REPLY, *(traits.send_kind for traits in CHANNELS.values()))
}
"""The vendor, by kind, of each action that sends a customer a text."""
_PROVIDERS = {**_VENDOR_OF, "tell_company": "company"}
"""Who received an action's request, by the action's kind."""
_ARRIVED = ("delivered", "read")
_NOT_ARRIVED = ("undelivered", "failed", "bounced", "rejected", "canceled")
_ATTENTION = ":middleware_error_needs_attention:"
_DONE = {
    "evt:rp": "answered",
    "evt:reply": "answered",
    "evt:start": "sent",
    "evt:release": "sent",
    "evt:follow": "sent",
}
"""The verb for a finished event, by the first two parts of its key; others are "processed"."""
_ACT = "evt:desk:"
"""The key's prefix of a desk act; only a reply sends anything."""


@dataclass(frozen=True, slots=True)
class Story:
    """The description of one event.

    Attributes:
        why_not: why the event was not answered, sent or processed; None if it was.
        paragraph: what happened, in order.
    """

    why_not: str | None
    paragraph: str

    @property
    def text(self) -> str:
        """`why_not`, then `paragraph`."""
        return " ".join(part for part in (self.why_not, self.paragraph) if part)


def tell(stored: Stored) -> Story:
    """Describe one event."""
    sentences = [_asked(stored), _routed(stored), *_answered(stored), _handed_over(stored)]
    others = (
        act for act in stored.acts if not is_desk_act(stored.key, act)
    )  # `_asked` describes that act
    sentences += [_by_person(stored, act) for act in others]
    sentences.append(_waits(stored))
    return Story(_why_not(stored), " ".join(sentence for sentence in sentences if sentence))


def of_fact(row: Row) -> str:
    """Describe one fact, from its row in the facts' ledger."""
    kept = plain_words.moment(row.get("created_at"))
    first = f"It reached us on {kept}"
    if row.get("metric"):
        first += f" and counts as {row['metric']} of agent {row.get('agent')} on {row.get('date')}"
    ended = {
        "posted": "The report has it.",
        "pending": "The report does not have it yet: the writer posts it in one of its next runs.",
        "skipped": f"It does not count: {plain_words.reason(str(row.get('reason', '')))}.",
        "failed": f"The report refused it: {plain_words.reason(str(row.get('reason', '')))}.",
    }
    corrected = len(row.get("corrections", ()))
    last = f" It was corrected {corrected} times." if corrected else ""
    return f"{first}. {ended.get(str(row['status']), '')}{last}"


def _verb(stored: Stored) -> str:
    if stored.key.startswith("evt:rp:") and ":n:" in stored.key:
        return "processed"
    if stored.key.startswith(_ACT):
        return "processed" if _answer(stored) is None else "sent"
    return _DONE.get(":".join(stored.key.split(":")[:2]), "processed")


def _answer(stored: Stored) -> Row | None:
    return next(
        (action for action in stored.actions if action.get("action_kind") in _VENDOR_OF), None
    )


def _why(stored: Stored, code: str) -> str:
    """A reason code in words; a vendor's code is read as that of the event's vendor."""
    kinds = (str(action.get("action_kind")) for action in stored.actions)
    at = next((_PROVIDERS[kind] for kind in kinds if kind in _PROVIDERS), "")
    return plain_words.reason(code, at or ("richpanel" if stored.key.startswith("evt:rp:") else ""))


# --- why not ------------------------------------------------------------------------------------


def _why_not(stored: Stored) -> str | None:
    verb, answer = _verb(stored), _answer(stored)
    if answer is not None and answer["status"] == "done":
        return None
    if stored.row.get("outcome") == DECLINED:
        return f"Not {verb}: {plain_words.reason(DECLINED)}."
    row, why = stored.row, str(stored.row.get("reason") or "")
    if stored.is_dead_letter:
        again = "the sweep puts the event on the queue again"
        return f"Not {verb} yet: no worker took its message, which is a dead letter; {again}."
    match stored.status:
        case "received":
            waits = _why(stored, str(row["last_reason"])) if "until" in row else ""
            return f"Not {verb} yet: {f'it waits ({waits})' if waits else 'it is on the queue'}."
        case "processing":
            since = row.get("last_reason")
            because = f"the last attempt ended because {_why(stored, str(since))}" if since else ""
            return f"Not {verb} yet: {because or 'a worker has it'}."
        case "parked":
            if why.startswith("unknown"):
                return (
                    f"Not known whether it was {verb}: {_why(stored, why)}."
                    " It is not repeated before that is settled."
                )
            return f"Not {verb}: {_why(stored, why)}."
        case "failed" | "skipped":
            return f"Not {verb}: {_why(stored, why)}."
    return None if verb == "processed" else _why_nothing_left(stored, verb, answer)


def _why_nothing_left(stored: Stored, verb: str, answer: Row | None) -> str | None:
    """Why a processed event sent nothing to a customer; None if it was not meant to."""
    how = f"Not {verb} automatically" if verb == "answered" else f"Not {verb}"
    if answer is not None:
        why = str(answer.get("reason") or stored.row.get("reason") or answer["status"])
        return f"{how}: {_why(stored, why)}."
    why, plan = str(stored.row.get("reason") or ""), stored.plan
    if why:
        return f"{how}: {_why(stored, why)}.{_otherwise(plan)}"
    reasons = [str(reason) for reason in plan.facts.get("reasons", ())] if plan else []
    handed = next(
        (action for action in (plan.actions if plan else ()) if action.kind == "hand_off"), None
    )
    if handed is not None:
        return f"{how}: {plain_words.reason(handed.arg.partition('|')[2])}."
    if reasons:
        return f"{how}: {plain_words.reason(reasons[-1])}.{_otherwise(plan)}"
    if plan is not None and plan.flow == "support":
        return f"{how}: automatic replies are not enabled on this stage, a person answers."
    return None


def _otherwise(plan: Plan | None) -> str:
    """The sentence on what would have happened to a message decided in shadow mode."""
    if plan is None or "made" not in plan.facts:
        return ""
    if "would" in plan.facts:
        return " Otherwise it would have been answered."
    reasons = [
        str(reason) for reason in plan.facts.get("reasons", ()) if reason not in HOLDING_REASONS
    ]
    return f" Otherwise a person answers: {plain_words.reason(reasons[-1])}." if reasons else ""


# --- what happened ------------------------------------------------------------------------------


def _asked(stored: Stored) -> str:
    row, plan = stored.row, stored.plan
    at = row.get("received_at")
    key = stored.key
    if is_resent(key):
        return f"An operator asked for it to be sent once more on {plain_words.moment(at)}."
    if key.startswith("evt:receipt:"):
        provider_id, status = receipt_of(row)
        return f"The carrier reported on {plain_words.moment(at)} that message {provider_id} was {status}."
    match ":".join(key.split(":")[:2]):
        case "evt:rp" if _verb(stored) == "processed":
            return f"Richpanel announced something new on the ticket on {plain_words.moment(at)}."
        case "evt:rp":
            asked = plan.facts.get("at", at) if plan else at
            return f"Asked on {plain_words.moment(asked)}."
        case "evt:start":
            company = f" for company {row['company_id']}" if row.get("company_id") else ""
            return f"Requested{company} on {plain_words.moment(at)}."
        case "evt:reply":
            return f"The recipient wrote on {plain_words.moment(at)}."
        case "evt:desk":
            did = "acted" if _answer(stored) is None else "replied"
            own = (act["actor"] for act in stored.acts if is_desk_act(stored.key, act))
            return f"{next(own, 'A person')} {did} on {plain_words.moment(at)}."
        case "evt:release":
            return f"A person released the held message on {plain_words.moment(at)}."
        case "evt:silence":
            return f"It was to be decided by {plain_words.moment(at)} whether the recipient asked to stop."
        case "evt:follow":
            step = plain_words.subject(key.rpartition(":")[2])
            return f"The project declares a message ({step}) for {plain_words.moment(at)}."
    return f"Received on {plain_words.moment(at)} from {row.get('source', 'an unknown sender')}."


def _routed(stored: Stored) -> str:
    plan = stored.plan
    if plan is None or "route" not in plan.facts:
        return ""
    route, intent = str(plan.facts["route"]), str(plan.facts.get("intent", ""))
    tag = next((action for action in stored.actions if f":{route}:" in action["event_id"]), None)
    certainty = plan.facts.get("confidence")
    sure = f", {round(float(certainty) * 100)} % certain" if certainty is not None else ""
    why = f"because it was read as {plain_words.subject(intent)}{sure}"
    team = plain_words.team(route)
    status = tag["status"] if tag else "not started"
    if status == "done" or (status == "skipped" and tag and tag.get("reason") == "already"):
        return f"Routed to {team} {why}."
    if status in ("skipped", "refused") and tag:
        return f"Meant for {team} {why}, but not routed: {_why(stored, str(tag.get('reason')))}."
    never = stored.status in ENDED
    return f"Meant for {team} {why}, {'but not routed' if never else 'and not routed yet'}."


def _answered(stored: Stored) -> list[str]:
    found: list[str] = []
    for action in stored.actions:
        if action.get("action_kind") in _VENDOR_OF:
            found += _sent(stored, action)
    return found


def _sent(stored: Stored, action: Row) -> list[str]:
    carrier = unreachable.title(_VENDOR_OF[str(action["action_kind"])])
    asked = stored.row.get("received_at")
    said = [
        f"A request left {plain_words.later(attempt.at, asked)} and ended without a usable answer"
        f"{f' ({attempt.reason})' if attempt.reason else ''}{attempts.judged(attempt)}."
        for attempt in attempts.earlier(action)
    ]
    again = " once more" if said else ""
    if action["status"] != "done":
        return said
    done_by = (
        "Sent" if _verb(stored) == "sent" or is_resent(stored.key) else "Answered automatically"
    )
    template = stored.plan.facts.get("template") if stored.plan else None
    text = f" with template {template}" if template else ""
    ref = f", as {action['ref']}" if action.get("ref") else ""
    at = plain_words.later(action.get("finished_at"), asked)
    known = {
        "settled": f"{carrier} showed it when it was asked{ref}",
        "receipt": f"{carrier} reported it{ref}",
        "operator": "an operator recorded that it was sent",
    }.get(str(action.get("reason")).partition(":")[0], f"{carrier} accepted it{ref}")
    said.append(f"{done_by}{again}{text}: {known}, {at}.")
    if attempts.may_be_double(action):
        said.append(
            "It was sent twice as far as we know: if the first request arrived as well,"
            " the customer has it twice."
        )
    said.append(_arrival(stored, action, carrier))
    return said


def _arrival(stored: Stored, action: Row, carrier: str) -> str:
    """The sentence on whether the carrier reported a message's delivery."""
    if action["action_kind"] == "reply":
        return ""
    at = {receipt_of(receipt)[1]: receipt["received_at"] for receipt in stored.receipts}
    asked = stored.row.get("received_at")
    for status in _NOT_ARRIVED:
        if status in at:
            return f"It did not arrive: {carrier} reported {status} {plain_words.later(at[status], asked)}."
    for status in _ARRIVED:
        if status in at:
            return f"Its arrival was confirmed by {carrier} {plain_words.later(at[status], asked)}."
    return "No confirmation of its arrival has come yet."


def _handed_over(stored: Stored) -> str:
    for action in stored.actions:
        if action["status"] != "done":
            continue
        at = plain_words.later(action.get("finished_at"), stored.row.get("received_at"))
        if action.get("action_kind") == "hand_off":
            return f"A person was asked to take over {at}."
        if _ATTENTION in action["event_id"]:
            return f"The ticket was marked for a person {at}."
    return ""


def _by_person(stored: Stored, act: Row) -> str:
    at = plain_words.later(
        str(act["ts_action_id"]).partition("#")[0], stored.row.get("received_at")
    )
    said = f", because: {act['reason']}" if act.get("reason") else ""
    if act.get("result") == ASKED:
        return f"{act['actor']} asked for {act['action_type']} {at}{said}."
    return f"{act['actor']} did {act['action_type']} {act.get('result', '')} {at}{said}."


def _waits(stored: Stored) -> str:
    """The sentence on attempts so far and the next one; empty for an ended event."""
    if stored.status in ENDED:
        return ""
    tried = int(stored.row.get("attempts", 0))
    due = stored.row.get("due_at")
    latest = plain_words.epoch(due + SWEEP_SECONDS) if due else None
    said = (
        f"Attempted {tried} {'time' if tried == 1 else 'times'} so far"
        if tried
        else "Not attempted yet"
    )
    again = f"; tried again on {plain_words.moment(latest)} at the latest" if latest else ""
    return f"{said}{again}."
