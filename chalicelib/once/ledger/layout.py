"""The layout of table A (`rp_mw_idempotency`): every kind of row and every attribute.

The key is ``event_id``.  ``expires_at`` is the table's TTL attribute; readers compare it too, because
DynamoDB deletes up to days late.  An unfinished row is kept alive by the sweep
(`LedgerRows.set_due`).  No row is deleted: `python -m ops erase` leaves a tombstone.

Kinds::

    kind      event_id                               written by                  expires after
    event     evt:...  (formats: `once.keys`)        once.ledger.events (1)      30 days
    action    act:...                                once.ledger.actions         30 days
    ref       ref:{action kind}:{hash}               once.ledger.actions         30 days
    lookup    act:shopify_lookup:...                 support.orders.cache        7 days
    quota     rate:{company_id}:{m|d|o}:{window}     outreach.project.admission     2 days from receipt
    limit     lim:{what}:{opaque id}                 once.allowances             its longest window
    pace      pace:{vendor, or share of starts}      vendors.shared_level        2 days
    share     share:{lane}                           once.share                  2 days
    cursor    sweep:cursor                           once.recovery.cursor        30 days
    run       sweep:run:{ISO time}                   once.recovery.cursor        30 days
    look      sweep:position:{list}:{opaque id}      once.recovery.cursor        30 days
    settings  cfg:support:{version|current}          support.configuration       never
    incident  inc:{cause}                            once.incidents              30 days

(1) The row of a start is written, and its sender's attributes are added, by
`outreach.project.admission`.

Attributes (times are ISO-8601 UTC unless epoch seconds are named)::

    attribute            kinds                    meaning
    event_id             all                      the key
    created_at           all but limit pace share incident  first write
    last_processed_at    all                      last change that counts
    received_at          all but limit pace settings share  when its cause arrived
    expires_at           all but settings         epoch seconds
    status               all but limit pace settings share  `EventStatus` or `ActionStatus`
    mode                 all but limit pace settings share incident  route_only or automation_candidate
    safe_mode            all but limit pace settings share incident  the switch, when it was decided
    automation_enabled   all but limit pace settings share incident  the switch, when it was decided
    conversation_id      all but limit pace settings share incident  opaque, or an id without personal data
    payload_sha256       all but limit pace settings share incident  of the event's body, the payload, the ref
    payload_bytes        all but limit pace settings share incident  length of the same
    source               event cursor run look   the sender
    source_message_id    event                    the provider's id of the message
    trace_id             event                    of the request that brought it
    until                event                    epoch seconds: when it wants to run, while it waits
    turns                event                    how often it was set aside for its turn at a vendor
    taken_by             event                    message that reopened an ended event
    attempts             event                    claims so far
    plan                 event                    the stored decision; of the fact writer, its batch
    intent               event                    of a ticket's plan
    last_reason          event                    why it waits, or why its last claim was released
    tries                event action             earlier attempts (`once.ledger.tries`)
    asked                event                    an operator wants it again; gone once claimed
    released             event                    fence of the claim that was released
    company_id           event                    of a start: whose quota it counts against
    outcome              event                    of a start, for its sender
    delivery             event                    of a start's message, for its sender
    delivery_rank        event                    a lower one never replaces a higher one
    delivery_reason      event                    the carrier's error code
    owner                event action cursor incident  unique per claim
    fence                event action cursor      grows with every claim
    lease_until          event action cursor      epoch seconds; 0 once released
    due_shard            event action incident    partition of the sparse index: {event|action}#{shard}
    due_at               event action incident    epoch seconds: when something must be done about it
    last_receive         event                    claimed on its message's last receive
    waits_for            event                    unknown actions that it is parked for
    stuck_shard          event                    partition of the index of causes: stuck#{shard}
    stuck_by             event                    what holds it up, and since when (`once.causes`)
    reason               event action             why it ended so, a fixed code
    event_key            action                   the event that performs it
    action_type          action lookup            as in the audit rows
    action_kind          action                   which executor and settler
    probe                action                   what its settler searches for; no text
    started              action                   its request may have left the machine
    started_epoch        action                   epoch seconds: not before this time
    horizon              action                   epoch seconds: it lands before this time, or never
    ref                  action                   the vendor's id of the effect
    finished_at          action incident          its end; part of the audit row's key
    looks                action                   queries after the horizon that showed nothing
    looked_epoch         action                   epoch seconds of the last one
    erased_at            event action             `ops erase` made it a tombstone
    action_key           ref                      the one action that the vendor's id belongs to
    facts                lookup                   what the shop returned, without personal data
    fresh_until          lookup                   epoch seconds
    count                quota                    starts of that minute (m) or day (d)
    open                 quota                    a set: unfinished starts of that day (o)
    taken                limit                    a list of times and action keys
    version              limit settings share incident  grows with every write
    slots                share                    by section, its key and when it ends by itself
    lines                share                    by key, epoch seconds of its next turn
    empty_at             pace                     epoch seconds: when the workers' bucket was empty
    line_new             pace                     epoch seconds of the next free turn in this line
    line_late            pace                     the same for a backlog
    line_again           pace                     the same for jobs that come back
    line_begun           pace                     the same for calls of jobs that have begun
    line_beside          pace                     the same for the sweep
    document             settings                 the settings document, as JSON
    by                   settings                 the operator who published it
    note                 settings                 what the operator said about it
    page                 cursor                   next page of the ticket listing
    number               cursor incident          highest ticket number seen; of the cause's incidents
    last_run             cursor                   key of the newest run row
    summary              run                      the run's counts
    mended_by            incident                 who began its mend
    mended_at            incident                 when; also tells one mend from another
    asked_for            incident                 events that the mend has put on the queue
    is_stopped           incident                 a person stopped the mend
    is_done              incident                 the mend has asked for everything
    seen_until           look                     time of the newest entry handled, at its provider

A row has a date (`once.timer`) while it has ``due_shard`` and ``due_at``: an event that was received and
not claimed in time, or waits, or is held or released and has not come back in time, or is parked, or
failed with its hand-off pending; an action of unknown outcome.

The facts' table (`QuillIdempotencyLedger`) holds event and action rows of this layout too, for the
fact writer's lease, batch and requests, under the names in `facts.ledger.ATTRIBUTES`; the facts
themselves are described in `facts.ledger`.
"""

from __future__ import annotations

from chalicelib.once.ports import Modes
from chalicelib.once.store import Item


def required(
    *, now: str, received_at: str, expires_at: int, conversation_id: str, modes: Modes
) -> Item:
    """The attributes that most kinds of rows have, beside their key, status and payload digest."""
    return {
        "created_at": now,
        "last_processed_at": now,
        "received_at": received_at,
        "expires_at": expires_at,
        "mode": modes.mode,
        "conversation_id": conversation_id,
        "safe_mode": modes.safe_mode,
        "automation_enabled": modes.automation_enabled,
    }
