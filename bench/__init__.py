"""Measurements of the product, as ratios within one run; not deployed.

__main__    `python -m bench`: every section against its targets
consent     trains the model that suspects a STOP in a message
sections    the sections of that run and their targets
measures/   one measurement per module; some are commands of their own
event_rows  the result rows of the section on events
rig/        the system under measurement and its counters
peers/      the same flow in other designs, for comparison
intents/    trains the models for support messages, and measures the decisions on them
load/       `python -m bench.load`: a simulation of the lanes under load, and their ceilings
redaction/  `python -m bench.redaction`: the redactor compared with other libraries
report/     result tables, docs pages, project statistics
results/    stored results of the last full runs
"""
