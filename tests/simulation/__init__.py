"""The deterministic simulation: the real core on a store, queue, vendor and clock that one seed owns.

world       time, containers, deliveries; runs one schedule to its end
faults      what can go wrong at a call, and the list of what does
scenario    the workload of one seed: messages, copies, flips, deploys, replays
parts       the core wired on the memory ports, one set a container
flow        the support flow with actions of every settling kind behind it
vendor      the provider in memory: tickets, tags, replies; late, never or at once
memory_table, expressions, memory_queue    the store and the queue, proved by tests/contracts
oracle      the promises, checked after every step and at the end
shrink      a failing schedule, made as short as it gets
__main__    python -m tests.simulation --runs 20000 --seed 1
"""
