"""Facts: a HubSpot batch and Aloware deliveries are stored and posted to both sinks, each row once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from chalicelib.facts import keys as fact_keys
from chalicelib.facts.dataset import DIMENSIONS, FACT_EVENT, definition
from chalicelib.facts.posting.ndjson import FileRows
from local.vendors import aloware, hubspot
from local.vendors.entra import TENANT
from local.vendors.powerbi import CLIENT_ID, WORKSPACE
from tests.crash.flow import STRAY, Arrival, Flow, Row, Step, Tick, http_event
from tests.crash.run import Run

CALL = 719_285_063
OCCURRED_MS = 1_763_600_000_000
PHONE, MAIL = "5555550123", "pat@example.com"
_KEY_COLUMN = {"DimAgent": "AgentID", "DimMetric": "MetricID", "DimDate": "Date"}


class Facts(Flow):
    """With the sequence numbers of Power BI's preview: a repeated POST adds nothing."""

    name = "facts: to Power BI, POSTs numbered"
    schedules = ("post_facts",)
    secret_words = (PHONE, MAIL)
    is_numbered = True

    def variables(self, run: Run) -> Mapping[str, str]:
        url = run.rig.proxy.url("powerbi")
        return {
            "POWERBI_BASE_URL": url,
            "POWERBI_TOKEN_URL": run.rig.powerbi.token_url.replace(run.rig.powerbi.url, url),
            "POWERBI_TENANT_ID": TENANT,
            "POWERBI_CLIENT_ID": CLIENT_ID,
            "POWERBI_WORKSPACE_ID": WORKSPACE,
            "POWERBI_DATASET_ID": run.rig.powerbi.create_dataset(definition()),
            "POWERBI_SEQUENCE_NUMBERS": str(self.is_numbered).lower(),
            "FACTS_BUCKET": "",
            "FACTS_FOLDER": str(self._folder(run)),
            "HUBSPOT_WEBHOOK_URL": hubspot.TARGET_URL,
        }

    def steps(self, run: Run) -> Iterator[Step]:
        batch = [
            hubspot.event(objectId=number, occurredAt=OCCURRED_MS, eventId=number)
            for number in (501, 502)
        ]
        call = aloware.six_deliveries(id=CALL)
        yield [self._hubspot(run, batch), *(self._aloware(run, delivery) for delivery in call[:2])]
        yield [Tick("post_facts")]

    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """Rows of the dataset by fact; without sequence numbers, as its measures count them."""
        rows = Counter(row["EventID"] for row in self._rows(run, FACT_EVENT))
        found = Counter(
            {
                key: rows.pop(key, 0)
                for key, row in actions.items()
                if row.get("metric") and row["status"] in {"posted", "pending"}
            }
        )
        for key, count in rows.items():
            found[STRAY + key] = count
        return found if self.is_numbered else Counter(dict.fromkeys(found, 0)) | _once(found)

    def repeated(self, run: Run) -> int:
        rows = [row["EventID"] for row in self._rows(run, FACT_EVENT)]
        return len(rows) - len(set(rows))

    def is_unfinished(self, run: Run) -> bool:
        """Whether keys of a dimension are being posted."""
        return any(row.get("posting") for row in run.rows("QuillLedgerTable").values())

    def violations(self, run: Run) -> Sequence[str]:
        """P1 and P2 for the archive, and for dimensions, where a duplicate key breaks the relationship."""
        found = self._archive_violations(run)
        for table in DIMENSIONS:
            column = _KEY_COLUMN[table]
            there = Counter(row[column] for row in self._rows(run, table))
            twice = [key for key, count in there.items() if count > 1]
            wanted = {row[_FOREIGN[table]] for row in self._rows(run, FACT_EVENT)}
            missing = sorted(wanted - set(there))
            if twice:
                found.append(f"P1 {table} has {len(twice)} keys more than once: {twice[:3]}")
            if missing:
                found.append(f"P2 {table} has not {missing[:3]}")
        return found

    def _archive_violations(self, run: Run) -> list[str]:
        """A fact that is posted is in the archive once; no other is, but those still on their way."""
        archive = FileRows(self._folder(run))
        archived = Counter(
            row["EventID"]
            for day in archive.partitions(f"{FACT_EVENT}/")
            for part in day.parts
            if not part.is_whole
            for row in archive.rows_of_object(part.name)
        )
        rows = {key: row for key, row in run.rows("QuillLedgerTable").items() if row.get("metric")}
        posted = {key for key, row in rows.items() if row["status"] == "posted"}
        twice = [key for key, count in archived.items() if count > 1]
        lacking, strays = sorted(posted - set(archived)), sorted(set(archived) - set(rows))
        found = [f"P1 the archive has {key} more than once" for key in twice]
        found += [f"P2 the archive lacks {key}" for key in lacking]
        return found + [f"P1 the archive has {key}, which is no fact" for key in strays]

    def _folder(self, run: Run) -> Path:
        return Path(run.rig.fork_server.folder) / "facts" / run.stage.aws.account

    def _rows(self, run: Run, table: str) -> list[dict[str, Any]]:
        return run.rig.powerbi.rows(run.environ["POWERBI_DATASET_ID"], table)

    def _hubspot(self, run: Run, events: list[dict[str, Any]]) -> Arrival:
        def make() -> dict[str, Any]:
            sender = _Posting(
                "", secret=run.stage.secrets.hubspot_secret, now_ms=lambda: _now_ms(run)
            )
            sender.send(events)
            return http_event("/webhook/hubspot", sender.headers, sender.body)

        facts = [
            fact_keys.fact(
                "HUBSPOT", "0-5", str(event["objectId"]), "object.creation", str(OCCURRED_MS)
            )
            for event in events
        ]
        return Arrival("api", make, tuple(facts))

    def _aloware(self, run: Run, delivery: dict[str, Any]) -> Arrival:
        """A delivery of Aloware, which never retries."""
        headers = {"authorization": f"Bearer {run.stage.secrets.aloware_token}"}
        return Arrival(
            "api",
            lambda: http_event("/webhook/aloware", headers, delivery),
            (fact_keys.fact("ALOWARE", str(CALL)),),
            is_repeated=False,
        )


class FactsWithoutNumbers(Facts):
    """As configured: a row may be there twice after an unknown outcome; measures count it once."""

    name = "facts: to Power BI, counted once"
    functions = ("post_facts",)
    is_numbered = False


class _Posting(hubspot.HubSpot):
    """Signs a request and leaves the sending to the harness."""

    def _post(self, body: bytes, headers: dict[str, str]) -> int:
        self.body = body
        self.headers = {name.lower(): value for name, value in headers.items()}
        return 200


def _now_ms(run: Run) -> int:
    return int(run.rig.shift.now() * 1000)


def _once(found: Counter[str]) -> Counter[str]:
    return Counter({key: 1 for key, count in found.items() if count})


_FOREIGN = {"DimAgent": "AgentID", "DimMetric": "MetricID", "DimDate": "FactDateKey"}
