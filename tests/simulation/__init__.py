"""The deterministic simulation: the real system on a store, queue, vendors and clock driven by one seed.

world       time, containers, deliveries; runs one schedule to its end
network     every call: its duration, and its faults
faults      the kinds of faults at a call, and the list of one schedule
workload    puts a scenario on the timeline of its world
timeline    planned actions, and requests in flight
scenario    the workload of one seed: messages, copies, flips, deploys, replays, clocks
denser      the same with more faults in each schedule, or longer pauses
aimed       small worlds with faults at the protocol's windows; the mix of a plain seed
handoffs    one recipient, whose messages wait for persons, switches and quiet hours
wordings    the words of a STOP and of a HELP
pairs       two conversations with one recipient: which of them a reply belongs to
quotes      replies that quote, e-mails and clicks that unsubscribe
dead_letters    one recipient; events fail until they are dead letters, and are redriven and replayed
people      operators and other persons: replay, redrive, approve
senders     the callers of the doors, who retry requests that were not accepted
fixed_schedules    hand-written schedules, with a single fault at a known call
pauses      schedules in which a worker is paused at each call in turn
amounts     how much of the same a test runs, every time and in the long run
runner      stacks that take turns: an invocation may pause while others run
containers  the product wired on the memory ports, one set per container
parts       time, log, tables, queue and switches of one container
support, outreach, facts    each system as it is deployed, on its simulated providers
flow        a ticket flow that covers every settling kind and two versions of one plan
wire        the socket under the product's own HTTP clients, in memory
exchange    one request to a vendor over the wire: its faults, and when it lands
clients     the product's clients of one container, and the secrets that they read
in_memory   what makes a simulated vendor of `local.vendors` one without a server
vendor, carriers, dataset   those vendors, and the ground truth of what happened
spoils      responses that are not the vendor's own, or pretend
partials    batches of which some statements fail
staleness   indexes and reads that are behind
crowds      thousands of rows that wait, against sweeps of 200
neighbours  two companies, and what one's fault costs the other
finding     Find over what a schedule stores, by everything that somebody may hold of it
memory_table, expressions, tables, memory_queue    store and queue, checked by tests/contracts
oracle      the promises, checked after every write, start and landing
verdict     the promises at the end, and a month later
stored_records    the promises on stored records at the end: audit, state, histories, hand-offs
follow_ups  reminders and other channels, and the answers that cancel them
tools, agreed    what the model asks for, and that its recipient has agreed to it; `tool_schedules`
purposes    how often each purpose of a message has happened, and a tool's call
consent     marks of a STOP, and the looks at them
answered    every answer that is recorded is a message that landed for it
progress    each sweep moves something
breaks      hand-made breaks of the core, applied at run time
measured    a world that keeps its metrics, as CloudWatch would have them
power       what plain seeds notice of each break: python -m tests.simulation.power
explore     small worlds whole: every interleaving up to a bound, `make explore`
shrink      a failing schedule, made as short as possible
__main__    python -m tests.simulation --runs 7000 --seed 1
"""
