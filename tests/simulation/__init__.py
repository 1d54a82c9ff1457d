"""The deterministic simulation: the real system on a store, queue, vendors and clock that one seed owns.

world       time, containers, deliveries; runs one schedule to its end
network     every call: what it takes, and what goes wrong at it
faults      what can go wrong at a call, and the list of what does
workload    puts a scenario on the agenda of its world
agenda      what happens when, and what is under way
scenario    the workload of one seed: messages, copies, flips, deploys, replays, clocks
denser      the same with more trouble in each schedule, or longer stand-stills
handed      one recipient, whose messages wait for persons, switches and quiet hours
dying       the same; events fail until they are dead letters, and are redriven and replayed
people      what operators and other persons do: replay, redrive, approve
senders     who writes to the doors, and repeats what was not taken
by_hand     schedules written down one by one, for a single trouble at a known call
standing    schedules in which a worker stands still at each call in turn
stage       stacks that take turns: an invocation may stand still while others go on
containers  the product wired on the memory ports, one set a container
parts       time, log, tables, queue and switches of one container
support, outreach, facts    each system as it is deployed, on its simulated providers
flow        a flow of tickets that provokes most: every settling kind, two versions of one plan
vendor, carriers, dataset   the providers in memory; what lands at them is the truth
memory_table, expressions, tables, memory_queue    store and queue, proved by tests/contracts
oracle      the promises, checked after every write, start and landing
verdict     the promises at the end, and a month later
books       the promises on what is on record at the end: audit, memory, histories, summons
shrink      a failing schedule, made as short as it gets
__main__    python -m tests.simulation --runs 20000 --seed 1
"""
