"""The core: every event is processed and every side effect happens once, whatever breaks.

It knows no system, no vendor and no cloud.  A system brings its jobs, its flows and its actions.

    door            requests and answers of every door as values: parameters, errors, log lines
    intake          verifies and parses a request, queues its job, answers once the queue has it
    caller_shares   how much one caller may ask of the doors: a proven company, or a stranger's address
    token_buckets   token buckets of many callers, in memory
    body            bodies of requests: bounded, then parsed
    job             messages of the queue; encode and decode
    keys            keys of events and actions, FIFO ids, opaque ids
    keyring         the stage's own keys, one for each purpose
    seal            proves that a queue message is this stage's, for its queue and group
    worker          claims an event, has its plan run, sets it aside or hands it back
    plan_run        runs the plan of a claimed event to its end
    flow            how a system handles its jobs: the base class of every flow, and `NotYet` with the time
                    until which an event waits
    plan            the stored decision: ordered actions, no text
    effect          one side effect, and one record per kind: who handles it, and how it is settled
    action          an effect's row of the ledger as values: its state, earlier tries, an unknown outcome
    effects         the one door out: switches, ledger, vendor call, outcome
    settlement      whether an effect of unknown outcome happened, read back from its vendor
    escalation      hands a failed event to a person
    resend          one finished action repeated for an operator
    reasons         why something was not done: code, who refused, words
    catalogue       reads stored reasons, also those of several parts
    outcome         final status of an event, and its audit rows
    backoff         how long a message stays invisible after an error
    retry           attempts at one step within an invocation: counted and paced
    lanes           the queues that jobs travel by, declared once
    later           short waits outside the FIFO queues
    aside           sets an event aside: its row is dated, then a copy of its job makes the wait shorter
    causes          why an event is stuck, as one cause that many events share
    incident        one cause that holds events up: its states, its owner, its mend
    incidents       finds incidents in the index of causes, and stores them
    timer           the dates of rows: from when something must be done about each
    order           keeps a conversation's order while an event of it waits
    allowances      limits of effects within an hour or a day, by conditional writes
    share           how many workers of a lane the slow calls of one key may hold
    current_job     the job that a thread works on, as vendors' rate limits see it
    heartbeat       keeps a message invisible while a slow call runs
    trace           fields of every log line within an event
    audit           table C (audit_actions): what was done, one row per action, and its attributes
    journal         table C: what persons did, one entry per act
    mentions        the addresses that a person's words name, as keyed ids
    remarks         what journal entries say about one person: found, and forgotten
    event           an event's row of the ledger as values: states, claim, lease, what is unfinished
    ledger/         claims, leases and fences on conditional writes
    recovery/       finds lost and unfinished events and sends them through the normal door
    lazy            parts by kind, built at first use
    store           the storage port: one table behind a few verbs
    item_size       what an item weighs in the store, and so costs
    ports           the other ports: clock, log, queue, switches, secrets
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
