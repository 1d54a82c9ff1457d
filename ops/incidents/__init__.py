"""Incidents: what holds events up, by cause; an operator hears of a cause once and mends it once.

commands    `incidents list`, `show`, `acknowledge`, `mend` and `stop`
affected    the events that an incident holds up, and a mend's effects
mend        queues those events again at a rate; can be stopped and resumed
naming      finds the incident that a person names, and formats it
"""
