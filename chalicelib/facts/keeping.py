"""Aloware's and HubSpot's jobs become kept facts: dedup in the batch, roster gate, ledger.

Nothing is decided twice and nothing leaves the machine here, so there is no plan and no lease: the
facts are kept by conditional writes, and a delivery that comes again finds them there.  The writer
(`fact_writer`) posts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.facts.jobs import AlowareDelivery, HubSpotBatch
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.mapping import RULES, Rule, aloware_fact, gated, hubspot_facts
from chalicelib.facts.model import Fact, Roster
from chalicelib.once.ports import Log


@dataclass(frozen=True, slots=True)
class FactKeeper:
    """The worker's room for facts.

    Attributes:
        timezone: where HubSpot's events, which name no zone, have their day.
    """

    store: FactLedger
    roster: Roster
    log: Log
    rules: Sequence[Rule] = RULES
    timezone: str = "UTC"

    def __call__(self, job: AlowareDelivery | HubSpotBatch) -> None:
        """Keep the facts of a job; returning means that they are kept.

        Raises:
            ProviderError: they are not all kept; the job is handed back and keeps the rest later.
        """
        found = self._facts(job)
        roster = self.roster.agents() if found else None
        facts = [gated(fact, roster) for fact in found]
        kept = self.store.keep(facts)
        self.log.event(
            "facts.kept",
            source=job.source,
            new=kept.new,
            duplicate=kept.duplicate,
            skipped=kept.skipped,
            mw_trace_id=job.trace_id,
        )
        for outcome in ("new", "duplicate", "skipped"):
            count = getattr(kept, outcome)
            if count:
                self.log.metric("mw.facts.kept", count, source=job.source, outcome=outcome)
        for reason in {fact.skip for fact in facts if fact.skip}:
            self.log.event("facts.skipped", source=job.source, reason=reason)

    def _facts(self, job: AlowareDelivery | HubSpotBatch) -> list[Fact]:
        if isinstance(job, AlowareDelivery):
            return [aloware_fact(job)]
        return hubspot_facts(job, rules=self.rules, timezone=self.timezone)
