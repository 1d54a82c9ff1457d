"""Two companies on one stage: what the second one's fault costs the first.

In a schedule of neighbours nothing else is wrong: the second company's secret is deleted, or its
account at Twilio fails, and neither is mended before the first company has been judged.  An answer
may be lost on the way to either; an event may wait for each of its own.  (In the schedule 77702041 one
message was lost three times, and was judged as if it had been lost once.)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chalicelib.clock import parsed
from local import company
from local.vendors import twilio
from tests.simulation.faults import Fault, Port

if TYPE_CHECKING:
    from tests.simulation.scenario import Scenario, Start
    from tests.simulation.world import World

FIRST, SECOND = 0, 1
ACCOUNTS = (twilio.ACCOUNT_SID, "AC" + "0" * 31 + "2")
IDS = (company.COMPANY_ID, "ci-bbb-002")
EMAILS = (company.EMAIL, "replies@neighbour.example")
NUMBERS = (
    {"whatsapp": company.WHATSAPP_NUMBER, "sms": company.SMS_NUMBER},
    {"whatsapp": "+15550109003", "sms": "+15550109004"},
)
KEYS = (company.API_KEY, "local-router-key-2")
SECRETS = ("first/twilio", "second/twilio")
_FAULTS = (
    *("faults", "flips", "deploys", "unavailable", "jumps", "failing", "spoils", "partials"),
    *("lags", "deleted", "approvals", "takes", "desk", "redrives", "replays", "resumes", "resends"),
)
"""What a schedule of neighbours has none of."""
WAIT_SECONDS = 3_600.0
"""The longest that an event may wait although only another company is at fault.

A lost answer is settled after the landing time (15 minutes), a lease and two looks of the sweep.
"""
LOST_SECONDS = 1_800.0
"""What each further lost answer of the same event may add."""


def project(number: int, **changes: Any) -> dict[str, Any]:
    """The `company-data` item of one of the two."""
    item = company.project("sim", **changes)
    channels = item["channel_config"]
    for channel, own in NUMBERS[number].items():
        channels[channel] = {
            f"company_{channel}_number": own,
            f"{channel}_credentials_id": SECRETS[number],
        }
    channels["email"]["company_email"] = EMAILS[number]
    return {**item, "company_id": IDS[number], "company_name": ("Cucumber", "Neighbour")[number]}


def beside_each_other(rng: random.Random, drawn: Scenario, start: Start) -> Scenario:
    """One schedule in twenty-five is one of neighbours; `start` is one of the second company."""
    if rng.random() >= 0.04 or not drawn.starts:
        return drawn
    lost = tuple(
        Fault(at, 6.5 / len(Port.EFFECT.value), rng.random(), pauses=False)
        for at in rng.sample(range(6), rng.choice((0, 1, 2, 3)))
    )
    nothing: Mapping[str, Any] = dict.fromkeys(_FAULTS, ())
    return replace(
        drawn,
        **nothing,
        neighbour=rng.choice(("account", "secret")),
        starts=(*drawn.starts, start),
        outage=(0.0, 0.0),
        failing_ticket=("", 0.0),
        crowd=0,
        endpoint=None,
        tools="",
        follow_ups="",
        held="",
        quiet_until="",
        bad_news="",
        effect_faults=lost,
        ticks=tuple(300.0 * n for n in range(1, 40)),
    )


def of(recipient: str) -> int:
    """The company that writes to a recipient: every second recipient belongs to the second company."""
    return SECOND if recipient.partition("@")[0][-1] in "13579" else FIRST


def begin(world: World, epoch: float) -> None:
    """Plan the second company's fault: its first messages may still leave before it."""
    match world.scenario.neighbour:
        case "secret":
            when = epoch + world.rng.choice((30.0, 200.0))
            world.at(when, lambda: world.deleted_secrets.add(SECRETS[SECOND]))
        case "account":
            when = epoch + world.rng.choice((0.0, 30.0, 200.0))
            world.at(when, lambda: setattr(world.twilio, "failing_account", ACCOUNTS[SECOND]))


def judge(world: World, stays_unknown: Callable[[World, Mapping[str, Any]], bool]) -> None:
    """P3: everything of the first company has ended, and without waiting for the second.

    Args:
        world: the world, before the second company is mended.
        stays_unknown: whether only a person can settle an action.
    """
    if not world.scenario.neighbour:
        return
    world.happened["neighbour_judged"] += 1
    of_first = {
        row["opaque_id"]
        for row in world.conversations.rows.values()
        if row.get("company_id") == IDS[FIRST] and "opaque_id" in row
    }
    rows = list(world.ledger.rows.values())
    for_good = {
        row["event_key"]
        for row in rows
        if row.get("status") == "unknown" and stays_unknown(world, row)
    }
    for row in rows:
        key = row["event_id"]
        if not key.startswith("evt:") or row.get("status") is None or key in for_good:
            continue
        is_first = row.get("conversation_id") in of_first or key.startswith("evt:rp:")
        if is_first:
            waited = _seconds(row["last_processed_at"]) - _seconds(row["received_at"])
            if row["status"] in {"received", "processing", "parked"}:
                waited = world.now - _seconds(row["received_at"])
            own = (action["event_id"] for action in rows if action.get("event_key") == key)
            lost = sum(world.network.disturbed[action_key] for action_key in own)
            if waited > WAIT_SECONDS + max(0, lost - 1) * LOST_SECONDS:
                world.oracle.broken("P3", f"{key} waited {waited:.0f} s beside another's fault")


def end(world: World) -> None:
    """Mend the second company too."""
    world.twilio.failing_account = ""
    world.deleted_secrets.clear()


def _seconds(text: str) -> float:
    moment = parsed(text)
    assert moment is not None
    return moment.timestamp()
