"""What a stage costs: one table of prices, what each kind of event uses, and what has happened.

commands      `cost`
prices        `prices.toml`: every price with its source and date
assumptions   what is not measured: latencies, processor time, tokens of a message
event_kinds   `counted.json`: calls, units and bytes of each kind of event, counted at the wire
bill          dollars by cause, of one event and of a million
month         a stage in a month without an event
happened      what a stage or a company has had, and what it cost
"""
