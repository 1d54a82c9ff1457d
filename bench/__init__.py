"""Measurements of the product, as ratios within one run; not deployed.

__main__    `python -m bench`: every section against its targets
consent     trains the model of wishes not to be contacted
sections    the sections of that run and their targets
measures/   one measurement per module; some are commands of their own
event_rows  those of events
rig/        the system under measurement and its counters
peers/      the same flow in other designs, for comparison
intents/    trains the model of the support messages, and measures their decisions
load/       `python -m bench.load`: a model of the lanes under load, and their ceilings
redaction/  `python -m bench.redaction`: the redactor beside other libraries
report/     result tables, docs pages, project statistics
results/    stored results of the last full runs
"""
