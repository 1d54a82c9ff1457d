"""The whole system on one machine; not deployed, and imported by nothing that is.

    engine          the embedded AWS engine: starts, waits until it answers, leaves nothing behind
    leash           the small process that ends an engine when whoever started it has gone
    resources       tables, queues, switches and secrets on an engine, from `resources.json`
    lambda_events   events and contexts as Lambda hands them over
    pump            the queue into the worker, and the schedule, as Lambda does it
    server          Chalice's own local HTTP server
    vendors/        simulated vendors over loopback, which record and misbehave on demand
    stack           all of it together, started and stopped in order
    join            `chalice local` beside the stack that runs
    tables          what the tables hold, for reading
    demo            `make demo`
    __main__        `python -m local run | tables | requests | demo`

Everything listens on 127.0.0.1 only.
"""
