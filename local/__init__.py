"""The whole system on one machine; not deployed, and imported by nothing that is.

    engine          the embedded AWS engine: starts, waits until it answers, leaves nothing behind
    leash           the small process that ends an engine when whoever started it has gone
    resources       tables, queues, switches and secrets on an engine, from `resources.json`
    lambda_events   events and contexts as Lambda hands them over
    pump            the queue into the worker, and the schedule, as Lambda does it
    server          Chalice's own local HTTP server
    running         what all of these are: a context manager that ends what it started
    vendors/        simulated vendors over loopback, which record and misbehave on demand
    company         an invented company that starts conversations, and written what its model says
    environment     the variables that lead the application to all this, and to nothing else
    stack           all of it together, started and stopped in order
    join            `chalice local` beside the stack that runs
    send            be Aloware or HubSpot against it
    tables          what the tables hold, for reading; chart the facts as bars
    demo            `make demo`, with its chapters facts_demo, support_demo and outreach_demo
    deploy/         the packaged stage on the engine: `make deploy-local`
    drill           `make drill`: the same, and things break
    __main__        `python -m local run | tables | requests | demo`

Everything listens on 127.0.0.1 only.
"""
