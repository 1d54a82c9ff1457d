"""Table A: who may work on an event, how far each action is, by conditional writes only.

events          rows of events: receive, schedule, claim, plan, release, finish, record the end, mark failed
actions         rows of actions: begin, take over, end, skip, settle; a vendor's id bound to one action
layout          table A's columns: every kind of row and every attribute, with its meaning
restored        writes rows of done actions that a restored backup lacks
tries           the list of earlier attempts in a row: what is added, what is dropped beyond ten
rows            what both kinds of rows share: expiry, rows that are due, a stored item as a value
"""
