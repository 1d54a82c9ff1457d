"""The same task in other designs: read the ticket, tag it, answer it once.

    flow         code that the designs share
    powertools   AWS Lambda Powertools as its documentation recommends: batch and idempotency
    key_first    stores a key before the enqueue, and one before each action
    mark_first   the worker marks the event first; a redelivery counts as a duplicate

Each design has `api` and `worker` as Lambda would call them, and runs on the crash harness like ours.
"""
