"""Time and bytes of each page of the console over a full ledger.

`python -m bench.measures.console [EVENTS]`: exit code 1 if a page's first answer exceeds its target,
or a page scans a table that grows with traffic.  The tables are on dynoxide, whose indexes are trees as
DynamoDB's are; MiniStack's are lists.
"""

from __future__ import annotations

import gzip
import re
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from bench.rig.system import System
from chalicelib.once import causes
from chalicelib.once.causes import Cause
from chalicelib.once.journal import Act
from chalicelib.once.timer import due_attributes
from console import loopback
from console.app import create_app
from console.backend import Options
from console.rights import Person
from ops.session import Session

EVENTS = 100_000
UNFINISHED = 2_000
UNKNOWN = 500
ACTS = 500
TARGET_MS = 300.0
AGAIN = 5
BATCH = 25
EVENT = "evt:rp:bench-7:c-1"
EFFECT = "act:rp_tag:bench-7:x:c-1"
CAUSE = Cause("richpanel", "unavailable", "tickets")
MISSES = ("#990099", "+1 555-010-0003", "jo@example.com")
POSTED = ("bench-7", *MISSES)
"""Search terms that are posted by a form: they may be personal data, which no URL may hold."""
HOST = "127.0.0.1:8090"
HEAD = f"{'page':<46}{'first ms':>9}{'then ms':>9}{'own CPU':>8}{'bytes':>8}{'gzip':>7}"
PAGES = (
    *("/", "/inbox", "/charts", "/charts/overview", "/facts", "/companies", "/writer", "/shadow"),
    *("/try", "/health", "/journal", "/journal?views=yes", "/journal.csv"),
    *("/find", f"/find?q={EVENT}", f"/find?q={EFFECT}", *POSTED),
    *(f"/story?key={EVENT}", f"/story/again?key={EVENT}"),
    *("/incidents", f"/incidents/one?name={CAUSE}.1"),
    *("/unknown", "/unknown?reason=timeout", f"/unknown/one?key={EFFECT}"),
    *("/letters", "/parked", "/parked?status=parked"),
)


def main(events: int = EVENTS) -> int:
    """Fill a stage and request every page; returns the exit code."""
    with System(on_dynoxide=True) as system:
        services: Any = system.services
        session = Session("dev")
        system.post(system.message("warm-up"))
        system.work()
        _fill(session, system, events)
        for number in range(ACTS):
            services.journal.enter(Act(what="replay", key=f"evt:rp:{number}", actor="jo"))
        client = signed_in(session)
        scans: list[str] = []
        _note_scans(session, scans)
        print(f"{events} events, {UNFINISHED} unfinished, {UNKNOWN} of unknown outcome")
        print(HEAD)
        slow = [page for page in PAGES if measured(client, page) > TARGET_MS]
    for page in slow:
        print(f"over {TARGET_MS:.0f} ms: {page}")
    for scan in scans:
        print(f"scanned: {scan}")
    return int(bool(slow or scans))


def signed_in(session: Session) -> Any:  # noqa: ANN401 - Flask's test client
    """A test client that is signed in as a person who may see every page."""
    person = Person("jo", loopback.EVERYTHING, companies=None)
    sign_in = loopback.LoopbackSignIn(person, session.services.clock, 8090)
    client = create_app(session, sign_in, Options(frozenset({HOST}))).test_client()
    client.get(f"/enter/{sign_in.link_token}", base_url=f"http://{HOST}")
    return client


def measured(client: Any, page: str) -> float:  # noqa: ANN401 - Flask's test client
    """Request a page several times and print its line; returns the first answer's time in ms."""
    times, own = [], []
    token = re.findall(r'name="token" value="([^"]+)"', _get(client, "/find").text)[0]
    for _ in range(AGAIN):
        started, busy = time.perf_counter(), time.process_time()
        answer = _post(client, page, token) if page in POSTED else _get(client, page)
        times.append((time.perf_counter() - started) * 1000)
        own.append((time.process_time() - busy) * 1000)
        assert answer.status_code == (404 if page in MISSES else 200), (page, answer.status)
    size, small = len(answer.data), len(gzip.compress(answer.data))
    then, cpu = statistics.median(times), statistics.median(own)
    name = f"/find, posted: {page}" if page in POSTED else page
    print(f"{name:<46}{times[0]:>9.0f}{then:>9.0f}{cpu:>8.0f}{size:>8}{small:>7}")
    return times[0]


def _get(client: Any, page: str) -> Any:  # noqa: ANN401 - Flask's test client and its answer
    return client.get(page, base_url=f"http://{HOST}")


def _post(client: Any, text: str, token: str) -> Any:  # noqa: ANN401 - likewise
    own = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
    form = {"token": token, "q": text}
    return client.post("/find", base_url=f"http://{HOST}", data=form, headers=own)


def _note_scans(session: Session, scans: list[str]) -> None:
    """Record each scan, from any thread, of a table other than `company-data`, which stays small."""
    lock, small = threading.Lock(), session.services.settings.company_data_table

    def note(params: dict[str, Any], **_more: object) -> None:
        with lock:
            scans.extend({params["TableName"]} - {small})

    events = session.services.table("any")._client.meta.events  # noqa: SLF001 - the client in use
    events.register("before-parameter-build.dynamodb.Scan", note)


def _fill(session: Session, system: System, events: int) -> None:
    """Fill the ledger with rows: most ended, some unfinished, some of unknown outcome."""
    template = session.ledger_table.get(
        {"event_id": f"evt:rp:warm-up:{system.comment_of('warm-up')}"}
    )
    assert template is not None
    rows = _rows(dict(template), events)
    while batch := list(islice(rows, BATCH * 4)):
        session.ledger_table.put_all(batch)


def _rows(template: dict[str, Any], events: int) -> Iterator[dict[str, Any]]:
    now = time.time()
    for number in range(events):
        ticket, key = f"bench-{number}", f"evt:rp:bench-{number}:c-1"
        row = {**template, "event_id": key, "conversation_id": ticket, "source_message_id": "c-1"}
        if number < UNFINISHED:
            row |= {"status": "parked", "reason": "unknown:timeout"}
            row |= due_attributes("event", key, now + number)
            row |= causes.attributes(CAUSE, key, template["received_at"])
        yield row
        if number < UNKNOWN:
            action = f"act:rp_tag:{ticket}:x:c-1"
            yield {
                **{name: template[name] for name in ("created_at", "expires_at", "mode")},
                **{name: template[name] for name in ("safe_mode", "automation_enabled")},
                "event_id": action,
                "conversation_id": ticket,
                "received_at": template["received_at"],
                "last_processed_at": template["last_processed_at"],
                "status": "unknown",
                "reason": "timeout",
                "action_kind": "add_tag",
                "action_type": "tag",
                "event_key": key,
                "probe": {},
                "owner": "o",
                "fence": 1,
                "lease_until": 0,
                "started": True,
                "started_epoch": int(now - number),
                "horizon": int(now + 60),
                **due_attributes("action", action, now + number),
            }


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
