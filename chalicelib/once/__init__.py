"""The core: every event is processed and every side effect happens once, whatever breaks.

It knows no system, no vendor and no cloud.  A system brings its jobs, its flows and its actions.

    door            HTTP requests and answers as values: query parameters, error answers, ingress log lines
    intake          receives a webhook: verify, parse, note the event's row, put its job on the queue, answer
    caller_shares   charges a company or an unproven network; 429 beyond its share, log lines held back
    token_buckets   token buckets of many callers, in memory
    body            a request's body: its size, then JSON of bounded depth
    job             the fields of every job, why it is queued again, encode and decode of a queue body
    keys            joins and escapes the parts of keys; digests, keyed (opaque) ids, FIFO deduplication ids
    keyring         the stage's keys, one secret for each purpose: sign, verify, begin and end of a key
    seal            the MAC of a queue message, for its queue and group
    worker          processes a delivery: decode its job, claim its events, release, defer, dead letter; ends
                    an event that no run could claim
    plan_run        runs a claimed event: store its plan, perform it step by step, audit, finish or park
    flow            the base class `Flow` of a system's decisions; `NotYet`, `NotAnEvent`, `Elsewhere`
    plan            the stored decision: planned actions in steps, encoded and packed, no text
    effect          one side effect; a kind's record: vendor, `Settle`, `WhenStopped`, its `Executor`
    action          values read from an action's row: its status, an unsettled action, a found effect
    effects         performs the actions of a step: switches, lease, begin, prepare, then switches, last look
                    and lease again right before the vendor call; outcome
    settlement      the verdict on an action of unknown outcome, from what its vendor shows
    escalation      notifies a person of a refused action or a dead letter, by one action
    resend          repeats one finished action for an operator, under a nonce
    reasons         the codes of reasons, each with who refused and words
    catalogue       puts a stored reason code into words, also one of several parts
    outcome         from the rows of an event's actions: its final status, and its audit rows
    backoff         seconds until an error's message is received again: outage, retry-after, jitter
    retry           attempts at one step within an invocation: pauses (doubling, none), the last error
    lanes           the names of the queues, dead-letter queues and handlers of each lane
    later           the queue `later`: a job waits up to 15 minutes and is put back into its FIFO group
    aside           lets an event wait for a `NotYet`: releases or dates its row, sends a copy by `later`
    causes          vendor, code and place for which an event is stuck; attributes of the index of causes
    incident        an incident's values: number, state, owner, mending; what it is now
    incidents       finds incidents in the index of causes (events held up, stuck keys), writes their rows
    timer           rows that are due: the index of ``due_at`` and its attributes, read in order and moved
    order           the `WaitingList` of a conversation's events: check, join, behind an earlier one
    allowances      effects counted within sliding windows, up to a `Limit`: take, reached, give back
    share           books in one row the slots of a lane, and the turns, of a key's slow calls;
                    `outreach.lane_shares` says which key
    current_job     the job that a thread works on, and its `TurnPlace` at vendors' rate limits
    heartbeat       extends the visibility of a message by a thread while a slow call runs
    trace           fields of every log line within an event; digests of ids for the log
    audit           table C: writes one audit row per action
    journal         table C: what persons did: an act's entry, in its story and in its day; a form's id
    mentions        keyed ids of the mailboxes and phone numbers in a person's words
    remarks         journal entries about one person: their words found, and forgotten
    event           values read from an event's row: its status, facts, lease, receipt, a stranded event
    ledger/         table A: claims, leases and fences by conditional writes
    recovery/       the sweep: finds lost and unfinished events and queues them again
    lazy            mappings, makers of parts, executors and clients that are built at first use
    store           the storage port: one table, `put`, `update`, `query`, `transact` and their errors
    item_size       the bytes of an item and of a value, as DynamoDB counts and charges them
    ports           the other ports: clock, log, queues, a delivery, switches, secrets
"""

from chalicelib.once.effect import Effect
from chalicelib.once.flow import Event, Flow, NotAnEvent
from chalicelib.once.intake import Intake
from chalicelib.once.job import Job
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.store import Store

__all__ = [
    "Effect",
    "Event",
    "Flow",
    "Intake",
    "Job",
    "NotAnEvent",
    "Plan",
    "PlannedAction",
    "Store",
]
