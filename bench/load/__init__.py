"""Seconds until an effect under load: a discrete-event simulation of the lanes, and their ceilings.

The simulation uses the vendors' documented limits, and imports the product's own rate limits, breakers,
waits and shares.  Its assumptions are in `assumptions`; every random draw is seeded.

    loop          the event loop, and the clock that the product's parts read
    assumptions   latencies, traffic and vendors' limits that the product does not state
    kinds         the kinds of events: their lane and the vendor calls that they make
    lanes         queues, groups, workers, vendors
    traffic       a day's curve, bursts, outages
    scenarios     the scenarios that are run, and the resulting times
    neighbours    how a company's events slow down when other companies' endpoints or models hang
    ceilings      the lanes' ceilings, as docs/capacity-ceilings.md states them
    plan          what breaks first at 10, 100 and 1,000 times the traffic, and the bill
    frame         the frame that every printed table has
    measured      the calls of the real system on the local engine, beside those of the simulation
    __main__      `python -m bench.load`: the tables and the targets
"""
