"""`python -m ops setup`: from an empty account to a stage that is ready for its first message.

commands    the command line
answers     what the operator wants, from a file or asked for; never a secret's value
beforehand  what is wrong with answers, before anything is made
walk        a step as data, and the loop that checks, does and checks again
steps       every step, in order
doing       what the steps do
systems     what the steps of support, outreach and facts do
pastes      what a person enters at the vendors: address, header, body
trials      one event through every door
endings     such an event, until it has ended or is clear to wait
first_run   what an empty stage still lacks before its first message, as a page shows it

A step is done when the checks of `ops.inspect.doctor` that it names find nothing wrong, so nothing is
remembered between two runs: each run looks at the account itself and goes on where it must.
"""
