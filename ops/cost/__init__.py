"""Calculates what a stage costs, from a table of prices and from what each kind of event uses.

commands      `cost`
prices        `prices.toml`: every price with its source and date
assumptions   figures that are not counted: latencies, processor time, tokens of a message
event_kinds   `counted.json`: calls, units and bytes of each kind of event, counted at the wire
bill          dollars by cause, of one event and of a million
month         the cost of a stage in a month without an event
happened      the events and model calls of a stage or a company in a period, and their cost
"""
