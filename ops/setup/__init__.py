"""`python -m ops setup`: from an empty account to a stage that is ready for its first message.

commands    the command line
answers     the operator's answers, from a file or typed; never a secret's value
beforehand  checks answers before anything is made
walk        the steps as data, and the loop that checks, does and checks again
steps       every step, in order
doing       the actions of every stage's steps
systems     the actions of the steps of support, outreach and facts
pastes      what a person enters at the vendors: address, header, body
trials      sends one event through every entry point
endings     watches such an event until it has ended or will wait too long
first_run   checks what a new stage still lacks before its first message, for a page

A step is done when the checks of `ops.inspect.doctor` that it names find nothing wrong.  So setup stores no
progress: each run examines the account and does the steps that are not done.
"""
