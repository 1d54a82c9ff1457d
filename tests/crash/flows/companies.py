"""Events to companies: posted once each and in order, also to an endpoint that fails at first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chalicelib.outreach import keys as outreach_keys
from local import company
from local.vendors.company_endpoint import SECRET
from tests.crash.flow import STRAY, Row, Step
from tests.crash.flows.outreach import Text
from tests.crash.run import Run


class Told(Text):
    """A start by SMS whose company hears of it: accepted, sent, delivered."""

    name = "companies: a start is reported to its endpoint"
    channel = "sms"
    functions = ("outreach_worker", "companies_worker", "later", "reconcile")

    def variables(self, run: Run) -> Mapping[str, str]:
        return {**super().variables(run), "COMPANY_WEBHOOKS_ON_LOOPBACK": "true"}

    def prepare(self, run: Run) -> None:
        url = f"{run.rig.proxy.url('company')}/events"
        company.create(run.stage, event_webhook={"url": url})
        company.put_signing_secret(run.stage, SECRET)
        run.rig.twilio.set_modes(fates=["delivered"])

    def steps(self, run: Run) -> Iterator[Step]:
        del run
        yield [self.start()]

    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """An event by its number in its conversation; the endpoint acts on each id once."""
        found = super().landed(run, actions)
        heard = Counter(
            outreach_keys.tell_action(event["conversation"], event["number"])
            for event in _told(run)
        )
        for key, row in actions.items():
            if row.get("action_kind") == "tell_company":
                found[key] = heard.pop(key, 0)
        for key, count in heard.items():
            found[STRAY + key] = count
        return found

    def repeated(self, run: Run) -> int:
        return len(run.rig.company.calls_of("event")) - len(run.rig.company.received)

    def violations(self, run: Run) -> Sequence[str]:
        """P3 for a conversation's events; a signature must be right at every attempt."""
        numbers = [event["number"] for event in _told(run)]
        found = list(super().violations(run))
        if numbers != sorted(numbers):
            found.append(f"P3 the company heard of its events in the order {numbers}")
        if run.rig.company.forged:
            found.append(f"P7 {run.rig.company.forged} events were signed wrongly")
        return found


class ToldLate(Told):
    """The endpoint refuses the first two attempts: the event waits, the later ones behind it."""

    name = "companies: an endpoint that fails at first"
    functions = ("companies_worker", "later", "reconcile")

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.company.fault("status", status=503, times=2)


def _told(run: Run) -> list[dict[str, Any]]:
    """The data of each event that the company acted upon, in order."""
    return [received["data"] for received in run.rig.company.received.values()]
