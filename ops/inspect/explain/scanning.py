"""Look-ups without an index: among the unfinished events and dead letters, or by a scan.

No index has trace ids, digests or ids of queue messages.  An alarm is about unfinished events or
dead letters, so these are searched first, in a bounded number of calls: the sparse indexes and the
head of the dead-letter queues.  Anything else needs `--deep`, which reads the whole ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from chalicelib.once import trace
from chalicelib.once.store import Item, Store
from ops.inspect.explain.found import Looking, LookupResult
from ops.inspect.explain.nothing import BY_A_SCAN, Unasked
from ops.inspect.ledger_rows import PAGE

UNFINISHED_READ = 1_000
"""The most unfinished events that are compared; `python -m ops unfinished` lists them all."""
IN_NO_INDEX = "events at a worker for the first time, and events that ended without an action"
Matches = Callable[[Item], bool]


def digest(looking: Looking, value: str) -> LookupResult | None:
    """Look up a trace id, or the digest of a ticket's id or event's key, as log lines show them."""

    def matches(row: Item) -> bool:
        identifiers = (row.get("event_id", ""), row.get("conversation_id", ""))
        return row.get("trace_id") == value or value in map(trace.digest, identifiers)

    return _found(looking, value, matches)


def queue_message(looking: Looking, message_id: str) -> LookupResult | None:
    """Look up an SQS message id: of a dead letter, or of the message that reopened an event."""

    def matches(row: Item) -> bool:
        return row.get("taken_by") == message_id

    return _found(looking, message_id, matches)


def of_conversation(looking: Looking, conversation_id: str) -> set[str]:
    """Scan for the keys of every event of a conversation."""
    rows = _every_event(looking)
    return {row["event_id"] for row in rows if row.get("conversation_id") == conversation_id}


def unasked(place: str) -> Unasked:
    """A place that only a scan searches."""
    return Unasked(place, "no index leads there", BY_A_SCAN)


def cost(looking: Looking) -> str:
    """A sentence on how much a scan would read, for the operator to decide."""
    described = looking.session.client("dynamodb").describe_table(
        TableName=looking.session.ledger_table.name
    )["Table"]
    megabytes = described.get("TableSizeBytes", 0) / 1_000_000
    return (
        f"--deep scans {described['TableName']}: about {described.get('ItemCount', 0)} rows,"
        f" {megabytes:.1f} MB, as counted within the last six hours"
    )


def _found(looking: Looking, value: str, matches: Matches) -> LookupResult | None:
    unfinished = looking.reader.unfinished.keys
    rows = looking.session.ledger_table.get_all(
        [{"event_id": key} for key in unfinished[:UNFINISHED_READ]]
    )
    events = {row["event_id"] for row in rows if matches(row)}
    events |= {row["event_id"] for row in _dead(looking, value, matches)}
    hidden = looking.reader.dead_letters.unasked
    if looking.deep:
        events |= {row["event_id"] for row in _every_event(looking) if matches(row)}
    else:
        more = "ended events"
        if len(unfinished) > UNFINISHED_READ:
            more += f", and the unfinished ones after the first {UNFINISHED_READ}"
        hidden = (*hidden, unasked(more))
    return LookupResult(value, frozenset(events), unasked=hidden)


def _dead(looking: Looking, value: str, matches: Matches) -> Iterator[Item]:
    """Yield the identifiers of the first dead letters that match."""
    for letter in looking.reader.dead_letters.letters:
        if letter.job is None:
            continue
        row = letter.row or {}
        known = {
            "event_id": letter.job.event_key,
            "conversation_id": letter.job.conversation_id,
            "trace_id": letter.job.trace_id,
        }
        if letter.message_id == value or matches({**row, **known}):
            yield known


def of_order(looking: Looking, opaque_order: str) -> set[str]:
    """Find by two scans the tickets that name an order, or for which the order was looked up."""
    values = {"lookup": "act:shopify_lookup:", "order": opaque_order}
    absent = _scanned(looking, "begins_with(#k, :lookup) AND contains(#k, :order)", values)
    services = looking.session.services
    tickets = _pages(
        services.table(services.settings.state_table),
        FilterExpression="attribute_exists(#r)",
        ProjectionExpression="conversation_id, #r",
        ExpressionAttributeNames={"#r": "requests"},
    )
    naming = {
        str(row["conversation_id"])
        for page in tickets
        for row in page["rows"]
        if any(request.get("order") == opaque_order for request in row["requests"])
    }
    return naming | {str(row["conversation_id"]) for row in absent}


def _every_event(looking: Looking) -> Iterator[Item]:
    """Yield every event's identifiers, by a scan."""
    return _scanned(looking, "begins_with(#k, :evt)", {"evt": "evt:"})


def _scanned(looking: Looking, condition: str, values: dict[str, str]) -> Iterator[Item]:
    """Yield the identifiers of the rows that match a filter, page by page, with progress."""
    names = {"#k": "event_id", "#c": "conversation_id", "#t": "trace_id", "#b": "taken_by"}
    table = looking.session.ledger_table
    described = looking.session.client("dynamodb").describe_table(TableName=table.name)["Table"]

    pages = _pages(
        table,
        FilterExpression=condition,
        ProjectionExpression=", ".join(names),
        ExpressionAttributeNames=names,
        values=values,
    )
    total = max(1, -(-int(described.get("ItemCount", 0)) // PAGE))
    for page in looking.watch(pages, total):
        yield from page["rows"]


def _pages(table: Store, **how: Any) -> Iterator[Item]:  # noqa: ANN401 - boto3's own
    start = None
    while True:
        rows, start = table.scan_page(limit=PAGE, start=start, **how)
        yield {"rows": rows}
        if start is None:
            return
