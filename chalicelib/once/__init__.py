"""The core: every event is processed and every side effect happens once, whatever breaks.

It knows no system, no vendor and no cloud.  A system brings its jobs, its flows and its actions.

    door, intake    a request becomes a job on the queue, or an error that says what is wrong
    job             what the queue carries; encode and decode
    keys            keys of events and actions, FIFO ids, opaque ids
    worker          claims an event, runs its plan, finishes it
    flow            what a system does with its jobs: the base class of every flow
    plan            the stored decision: ordered actions, no text
    action          one side effect: its key, and how an unknown outcome is settled
    effects         the one door out: switches, ledger, vendor call, outcome
    settlement      whether an effect of unknown outcome happened, by what its vendor shows
    escalation      gives an event that failed to a person
    resend          one finished action done again because an operator asked
    outcome         how an event ends, and its audit rows
    backoff         how long a message stays away after an error
    heartbeat       keeps a message invisible while a slow call runs
    trace           what every log line within an event carries
    audit           table C: what was done, one row per action
    event           an event as the ledger stores it: states, lease, claim
    ledger/         claims, leases and fences on conditional writes
    recovery/       finds what was lost or left unfinished and sends it through the normal door
    store           the storage port: one table behind a few verbs
    ports           the other ports: clock, log, queue, switches, secrets
"""
