"""The crash test on real processes: the real functions against the local engine, killed everywhere.

flow          what the harness must know of a flow; `flows` has them all, a class each
proxy         between the functions and everything they call; counts, kills, stops, breaks
nursery       the process that forks one process an invocation, with everything imported
invocations   its other end: starts, kills, stops and waits
product       the product's own services in such a process: their clock, their patience
stages        a stage a run, made fast
rig           engine, vendors, proxy, nursery and the one clock, shared by all runs
run           one flow on one stage: sent in, delivered again, swept, until it rests
stored        what its tables and queues hold
judging       what it came to, by the vendors' record and the tables
runs          every boundary, every vendor fault, zombies, twins, held requests
__main__      python -m tests.crash
"""
