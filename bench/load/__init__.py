"""How long until an effect, under load: a discrete-event model of the lanes, and its ceilings.

The model has the vendors' documented limits and the product's own rate limits, breakers, waits and
shares, imported and never copied.  What it assumes is in `assumptions`; everything is seeded.

    loop          events in the order of their times; the clock that the product's parts read
    assumptions   latencies, traffic and vendors' limits that the product does not state
    kinds         the kinds of events: their lane and the calls they make
    lanes         queues, groups, workers, vendors
    traffic       a day's curve, bursts, outages
    scenarios     what is run, and the times it results in
    neighbours    what a company notices of others whose endpoint or model hangs
    ceilings      the lanes' ceilings, as docs/capacity-ceilings.md states them
    plan          what breaks first at 10, 100 and 1,000 times as much, and the bill
    frame         the one frame of the tables that are printed
    measured      the real system on the local engine beside the model's calls
    __main__      `python -m bench.load`: the tables and the targets
"""
