"""The worker's handler of fact jobs: map a job to facts, apply the roster, store them in the ledger.

There is no vendor call here, so there is no plan and no lease: facts are stored by conditional
writes, and a redelivery finds them stored.  `posting.writer` posts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.facts.jobs import AlowareDelivery, HubSpotBatch
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.mapping import RULES, MetricRule, aloware_fact, apply_roster, hubspot_facts
from chalicelib.facts.model import Fact, Roster
from chalicelib.once.ports import Log


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRecorder:
    """The worker's handler of fact jobs: stores the facts of each job in the ledger.

    Attributes:
        timezone: determines the day of HubSpot's events, which name no zone.
    """

    store: FactLedger
    roster: Roster
    log: Log
    rules: Sequence[MetricRule] = RULES
    timezone: str = "UTC"

    def __call__(self, job: AlowareDelivery | HubSpotBatch) -> None:
        """Map one job to its facts, apply the roster, and store the facts; it returns when all are stored.

        Raises:
            ProviderError: not all facts are stored; the job is handed back to the queue, and its
                retry stores the rest.
        """
        found = self._facts(job)
        roster = self.roster.agents() if found else None
        facts = [apply_roster(fact, roster) for fact in found]
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
        marks = Counter(mark for fact in facts for mark in fact.happening.marks)
        for mark, count in marks.items():
            self.log.metric("mw.facts.marks", count, source=job.source, mark=mark.value)
        for reason in {fact.skip for fact in facts if fact.skip}:
            self.log.event("facts.skipped", source=job.source, reason=reason)

    def _facts(self, job: AlowareDelivery | HubSpotBatch) -> list[Fact]:
        if isinstance(job, AlowareDelivery):
            return [aloware_fact(job)]
        return hubspot_facts(job, rules=self.rules, timezone=self.timezone)
