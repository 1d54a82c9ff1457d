"""The crash test on real processes: the real functions against the local engine, killed everywhere.

flow          what the harness must know of a flow; `flows` has them all, one class each
proxy         between the functions and everything they call; counts, kills, stops, breaks calls
fork_server   the process that forks one process per invocation, with everything imported
invocations   its client: starts, kills, stops and waits
product       the product's own services in such a process: their clock and deadlines
stages        one stage per run, created fast
rig           engine, vendors, proxy, fork server and the one clock, shared by all runs
run           one flow on one stage: sent in, redelivered, swept, until it is at rest
stored        the contents of its tables and queues
judging       the outcome, by the vendors' record and the tables
runs          every boundary, every vendor fault, paused and concurrent processes, held requests
sampling      a part of that in half a minute
lines         the table that is printed
__main__      python -m tests.crash
"""
