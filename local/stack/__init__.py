"""The parts of the local system and the code that starts them together.

system         everything, started in order and stopped in reverse
engine         the embedded AWS engines: download, start, wait until ready
shim           starts MiniStack extended by what deployments need
creating       makes the declared tables and queues by calls, for engines without CloudFormation
leash          a small process that ends an engine when its parent ends
resources      tables, queues, switches and secrets on an engine
environment    the variables that point the application to this machine
pump           passes queue messages to the worker and runs the schedules, as Lambda does
lineage        stops a loop between a function and its queue, as Lambda does
functions      a Lambda endpoint for the functions that the product invokes
lambda_events  events and contexts as Lambda passes them
server         Chalice's own local HTTP server
queue_board    says which queue has a message, so that pumps ask the engine for no other
loopback_site  the base class of the two HTTP servers that are no vendor: functions and control
turned_clock   a clock that tests can move, followed by every process of a trial stack
idle_watch     tells whether a stack has anything left to do
control        the loopback HTTP control of the clock and the idle watch
emf            turns metric lines of the output into the engine's metrics
join           connects `chalice local` to the running stack
stoppable      the base class: a context manager that stops what it started
"""
