"""The middleware, a room per module; `app.py` is the only caller from outside.

    bytes -> sources -> jobs -> intake -> SQS -> worker -> flows -> actions -> effects -> adapters

Way in
    sources/        verify and parse what one sender posts; no I/O
    jobs            what the queue carries; encode and decode; job_kinds its kinds
    keys            event keys, action keys, FIFO ids, opaque ids
    initiate        the Channel Router's door: starts admitted once, their fate told
    doors           what every door does alike: read a request, answer, log, count
    intake          the one door in: a request becomes a queued job
    outbox          SQS FIFO behind a port
Work
    worker          claim an event, run its plan, finish it
    escalation      gives what failed to a person; outcomes how an event ends; waits how long a
                    message that failed stays away
    flows/          what to do with a job: pure decisions and the order of steps
    plans           the stored decision: ordered steps of actions, no text
    actions         one small class per side effect: its key and how an unknown outcome is settled
    outreach_actions, sending   a text, an e-mail, a hand-off; and who performs them
    writers, composing          who writes messages; asked once, stored before anything is sent
    openai_writer               a model that writes, and when it is asked
    heartbeat       keeps a message invisible while a slow call runs
    handoff         what persons do with conversations that were given to them
    effects         the one door out: switches, ledger, vendor call, audit
    settlement      whether an effect of unknown outcome happened, by what its provider shows
    reconcile       find what was lost or left hanging and send it through the normal door
    sweep_rows      its part for unfinished rows; sweep_tickets for Richpanel's open tickets
    sweep_hands     what a sweep may change, and its numbers
    rebuild         jobs made anew from stored rows
    reread          replies that nobody queued, from the provider that keeps them
State
    ledger          claims, leases and fences of events on DynamoDB conditional writes
    ledger_actions  its half about actions: pending, ended, settled
    rows            what its rows have in common and how they read
    dynamo          a table behind a few verbs; dynamo_calls one call, and what its errors mean
    expressions, typed_values  DynamoDB's expressions and statements; plain values as its own
    sweeps          one sweep at a time, where it stands, a summary per run
    state           what is known of a conversation between two messages
    conversations/  the conversations table: values, store, the list of hand-offs
    companies       what a company has set for a project
    starts          a start's row: admitted under limits, and what became of it
    audit           what was done, one row per action
    switches        kill switch, safe mode, automation, shadow; unreadable means hand back
Support (what a customer's message is about, and what may be answered)
    flows/support   decision, guard rails, order status, templates, plan; its own map inside
    flows/intents   which intents a message has: phrase_tree finds the phrases of intent_words in
                    what message_words reads
    ticket_replies  the actions that reach a customer: reply and close
    orders          what is known of an order, and the ports of who knows it
    language_model  the port of a model; asked only where a deployment says so
    limits          how often something may happen; allowances counts, lookups remembers
Facts (Aloware and HubSpot events on their way to Power BI)
    fact_intake     answers both senders; keeps trying where the sender never repeats
    flows/facts     the worker's part: dedup, roster gate, kept in the ledger of facts
    fact_ledger     QuillIdempotencyLedger: every fact once, and how far it is
    fact_writer     the single writer: pending facts in batches, an outage is a delay
    fact_batch      what its row holds: the open batch, under whose lease
    fact_dimensions each key of a dimension once; fact_schema the dataset; fact_roster who counts
    fact_actions    the writer's effects; fact_ports its Protocols; fact_rebuild a dataset anew
Edges
    adapters/       one vendor a file, over one HTTP client (http, http_answers)
    html_text       plain text of a comment or an e-mail that came as HTML
    redaction/      personal data masked before anything is stored, logged or raised
    logs            JSON lines and CloudWatch metrics, redacted at the exit
    trace           what every log line within an event carries
    lambda_events   what Lambda hands over, as plain values
    clock           the real clock
    secrets         cached secrets, refreshed when a vendor refuses one
    settings        environment to frozen Settings; support_settings those of replies
    stage_guard     refuses another stage's tables and queue
    wiring          Settings to Services, lazily, once per container
    ports           the Protocols between the inner rooms and the edges, by what they stand for
    errors          the error tree

Import rule, checked by import-linter: `sources`, `jobs`, `job_kinds`, `keys`, `plans`, `actions`,
`redaction`, `errors` and the flows' decisions are pure; `intake`, `worker`, `effects`,
`reconcile` and `flows` see `ports`, never boto3, requests or chalice; sources do not import each
other, nor do adapters; only `settings` (and `wiring`, which hands it over) reads the environment.
"""

import os

# No plugin of pydantic's is used; looking for one reads what every installed distribution declares,
# at each cold start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
