"""Proves an erasure: searches every place for the person's canaries, or says why it cannot.

A canary is an identifier or word of the erased person.  A sighting either may stay by law, with a
reason and an end, or shows that the erasure is incomplete.  An id may stay.  An address or a word may
not.  A name alone may stay where it can be a namesake's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError
from chalicelib.once import keys
from chalicelib.once.journal import ABOUT_PREFIX, is_entry
from chalicelib.once.lanes import LANES
from chalicelib.once.store import Item
from chalicelib.outreach.conversations import items as layout
from chalicelib.outreach.conversations.statements import EVIDENCE, SAID_OF
from ops.companies import erase_archive, erase_reports
from ops.companies.erase_canaries import Canary, keys_of, texts_of
from ops.companies.erase_namesakes import conversation_of
from ops.companies.erase_places import AskedPlace, Sighting, found_in
from ops.output import Output
from ops.repair import dead_letters, mail_failures
from ops.session import OpsError, Session

SEGMENTS = 4
PAGE = 500
READ_UNIT_BYTES = 4096
USD_PER_MILLION_READS = 0.125
"""DynamoDB on demand, us-east-1, November 2026 (https://aws.amazon.com/dynamodb/pricing/on-demand/)."""
SHOWN = 20
"""The most sightings of a place that the report lists; it counts all of them."""
QUEUE_DAYS, BACKUP_DAYS = 14, 35
REGISTER = "a refusal of contact stays, under a keyed id"
EVIDENCE_KEPT = "evidence of a refusal or a link: keyed ids, no texts"
TOMBSTONE = "a tombstone, so that no effect is repeated: key and state, no texts"
NAME_ALONE = (
    "The name alone, in another person's conversation: a namesake, or look at it"
    " (python -m ops explain <conversation>):"
)
UNCLEAR = "unclear_between"
"""A conversation's attribute: ids of the conversations that its newest unclear message may be for."""
UNCLEAR_KEPT = "another conversation's unclear message, which may be for the person's: an id alone"
JOURNAL = "who did what: ids, no texts"


def estimate(session: Session, tables: Sequence[str]) -> dict[str, Any]:
    """What a scan would read and cost, by DynamoDB's own figures, which are up to six hours old."""
    found = [
        session.client("dynamodb").describe_table(TableName=table)["Table"] for table in tables
    ]
    bytes_ = sum(table.get("TableSizeBytes", 0) for table in found)
    units = math.ceil(bytes_ / READ_UNIT_BYTES)
    return {
        "items": sum(table.get("ItemCount", 0) for table in found),
        "mb": round(bytes_ / 1e6, 1),
        "reads": units,
        "usd": round(units / 1e6 * USD_PER_MILLION_READS, 4),
    }


def scan(
    session: Session, tables: Sequence[tuple[str, list[str]]], canaries: Sequence[Canary]
) -> Iterator[AskedPlace]:
    """Search tables, archives, reports and dead letters; then name the places that cannot be searched."""
    for name, key_names in tables:
        yield _of_table(session, name, key_names, canaries)
    yield _archive(session, canaries)
    yield from erase_reports.places(session, canaries)
    yield _dead_letters(session, canaries)
    yield from _not_asked(session)


def _of_table(
    session: Session, name: str, key_names: list[str], canaries: Sequence[Canary]
) -> AskedPlace:
    place = AskedPlace(name, 0)
    with ThreadPoolExecutor(SEGMENTS) as pool:
        parts = pool.map(
            lambda n: list(_segment(session, name, key_names, canaries, n)), range(SEGMENTS)
        )
        for count, item, found in (row for part in parts for row in part):
            place.asked = (place.asked or 0) + count
            if found:
                _judge(place, session, name, key_names, item, found)
    return place


def _segment(
    session: Session, name: str, key_names: list[str], canaries: Sequence[Canary], number: int
) -> Iterator[tuple[int, Item, list[Canary]]]:
    """Yield (items read, {}, []) for each page of a segment, and (0, item, canaries) for each hit."""
    table, start = session.services.table(name), None
    while True:
        split = {"Segment": number, "TotalSegments": SEGMENTS, "ConsistentRead": True}
        page, start = table.scan_page(limit=PAGE, start=start, **split)
        yield len(page), {}, []
        for item in page:
            if found := found_in(item, canaries, keys_of(item, key_names)):
                yield 0, item, found
        if start is None:
            return


def _judge(
    place: AskedPlace,
    session: Session,
    table: str,
    key_names: list[str],
    item: Item,
    found: Sequence[Canary],
) -> None:
    where = {canary: _where(item, canary) for canary in found}
    why = ""
    if all(canary.is_id for canary in found):
        why = _stays(session, table, item, {name for names in where.values() for name in names})
    if why:
        ends = int(item.get("expires_at") or item.get("ttl") or 0)
        known = place.stays.setdefault(why, {"items": 0, "until": ""})
        until = iso(datetime.fromtimestamp(ends, UTC))[:10] if ends else ""
        known.update(items=known["items"] + 1, until=max(known["until"], until))
        return
    owner = conversation_of(session, item) if all(canary.is_name for canary in found) else ""
    sightings = place.named if owner else place.left
    shown_as = owner or keys.digest(*keys_of(item, key_names))[:12]
    sightings += (Sighting(canary.name, shown_as, names) for canary, names in where.items())


def _where(item: Item, canary: Canary) -> tuple[str, ...]:
    """The names of the attributes that hold a canary."""
    return tuple(
        sorted(
            name
            for name, value in item.items()
            if canary.is_in(item, [*texts_of({name: value})], [str(value)])
        )
    )


def _stays(session: Session, table: str, item: Item, where: Collection[str] = ()) -> str:
    """Why an item that holds ids of an erased person may stay; empty if it may not.

    Args:
        session: the stage.
        table: where the item is.
        item: the item after the erasure.
        where: the names of the attributes that hold the person's ids.
    """
    settings = session.services.settings
    if table == settings.idempotency_table:
        return TOMBSTONE if "erased_at" in item else ""
    if table == settings.audit_table:
        is_lead = str(item["conversation_id"]).startswith(ABOUT_PREFIX)
        return JOURNAL if is_lead or (is_entry(item) and not item["reason"]) else ""
    if table == settings.conversations_table:
        if layout.member_of(item) and str(item["conversation_id"]).startswith(EVIDENCE):
            return "" if SAID_OF in item else EVIDENCE_KEPT
        if {*where} == {UNCLEAR}:
            return UNCLEAR_KEPT
        return REGISTER if layout.member_of(item) or layout.listed_member(item) else ""
    return ""


def _archive(session: Session, canaries: Sequence[Canary]) -> AskedPlace:
    """Search every object of the archives, and its former versions where the bucket keeps them."""
    place = AskedPlace(erase_archive.PLACE)
    if not session.services.posting.archives:
        place.why_not = "this stage has none"
        return place
    place.asked = 0
    try:
        for archived in erase_archive.objects(session):
            named = keys.digest(archived.name, archived.version)[:12]
            for row in archived.rows():
                place.asked += 1
                found = found_in(row, canaries)
                place.left += (Sighting(canary.name, named, ()) for canary in found)
    except MiddlewareError as error:
        place.asked, place.has_failed = None, True
        place.why_not = f"it cannot be read ({type(error).__name__}): run again"
    return place


def _dead_letters(session: Session, canaries: Sequence[Canary]) -> AskedPlace:
    place, seen = AskedPlace("dead letters and failed mail"), [0]

    def holds(body: str) -> bool:
        seen[0] += 1
        found = found_in({"body": body}, canaries)
        place.left += (Sighting(canary.name, keys.digest(body)[:12], ()) for canary in found)
        return bool(found)

    try:
        for queue in (dead_letters, mail_failures):
            queue.purge(session, holds, dry_run=True)
    except (OpsError, MiddlewareError, ClientError, BotoCoreError) as error:
        place.has_failed = True
        place.why_not = f"they cannot be read ({type(error).__name__}): run again"
    place.asked = None if place.has_failed else seen[0]
    return place


def _not_asked(session: Session) -> Iterator[AskedPlace]:
    now = session.services.clock.now()

    def until(days: int) -> str:
        return iso(now + timedelta(days=days))[:10]

    logs = 90 if session.stage == "prod" else 14
    live = [lane.queue(session.stage) for lane in LANES]
    for name, why in (
        (
            ", ".join([*live, f"rp-mw-later-{session.stage}"]),
            f"reading would take messages from workers; seconds, at most until {until(QUEUE_DAYS)}",
        ),
        ("logs", f"redacted as they are written; until {until(logs)}"),
        ("backups", f"as the tables were, where the stage has them; until {until(BACKUP_DAYS)}"),
        ("Richpanel, Twilio, SES and other vendors", "another's data: erase it there"),
    ):
        yield AskedPlace(name, why_not=why)


def shown(places: Sequence[AskedPlace]) -> list[dict[str, Any]]:
    """The report as JSON-ready values without personal data."""
    return [
        {
            "place": place.name,
            "asked": place.asked,
            "found": len(place.left),
            "left": _listed(place.left),
            "named": len(place.named),
            "name_alone": _listed(place.named),
            "stays": [{"why": why, **facts} for why, facts in place.stays.items()],
            "why_not": place.why_not,
            "has_failed": place.has_failed,
        }
        for place in places
    ]


def _listed(found: Sequence[Sighting]) -> list[dict[str, Any]]:
    return [
        {"canary": sighting.canary, "item": sighting.item, "where": list(sighting.where)}
        for sighting in islice(found, SHOWN)
    ]


def printed(output: Output, report: Sequence[Mapping[str, Any]]) -> None:
    """Print the report: a line for each place, then what should not be there."""
    rows = [
        (
            row["place"],
            "not asked" if row["asked"] is None else row["asked"],
            row["found"],
            _said(row),
        )
        for row in report
    ]
    output.table(("place", "asked", "found", "stays, or why it was not asked"), rows)
    for row in report:
        for sighting in row["left"]:
            where = ", ".join(sighting["where"])
            output.say(
                f"{row['place']}: {sighting['canary']} in {sighting['item']} {where}", style="red"
            )
    if any(row["named"] for row in report):
        output.say(NAME_ALONE, style="yellow")
    for row in report:
        for sighting in row["name_alone"]:
            where = ", ".join(sighting["where"])
            output.say(
                f"{row['place']}: {sighting['canary']} in conversation {sighting['item']} {where}"
            )


def _said(place: Mapping[str, Any]) -> str:
    stays = (f"{stay['items']}: {stay['why']}; until {stay['until']}" for stay in place["stays"])
    return "; ".join((*stays, *([place["why_not"]] if place["why_not"] else [])))
