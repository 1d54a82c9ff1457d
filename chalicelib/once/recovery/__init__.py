"""Finds lost and unfinished events and sends them through the normal door.

reconcile       one scheduled run over all parts, and its metrics
unfinished      rows that are due: settle, resume, send again, mark failed, notify
rebuilders      jobs rebuilt from stored rows
sweep           the writes a run may make, its summary, the interface of a system's part
cursor          the lease of the sweep and its position between runs
"""
