"""Table A: who may work on an event, how far each action is, by conditional writes only.

events          claims, leases, fences, plans and ends of events
actions         actions: start, outcome, settlement of unknown outcomes
layout          table A's columns: every kind of row and every attribute, with its meaning
restored        finished actions that a backup has forgotten
tries           earlier attempts, kept in the row of their event or action
rows            fields common to all rows, and how a stored row is read
"""
