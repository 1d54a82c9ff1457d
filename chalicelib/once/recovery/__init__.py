"""The sweep: finds lost and unfinished events and queues them again.

reconcile       one scheduled run over all parts, and its metrics
unfinished      handles rows that are due, by status: settle, resume, send again, mark failed, notify
rebuilders      the port by which a system makes a job from a stored event
sweep           the summary of a run, the writes that it counts, the port of a system's part
cursor          the sweep's own rows: its lease and page, its runs, the positions in providers' lists
"""
