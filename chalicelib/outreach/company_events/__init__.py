"""Events to companies: what happened in a conversation, as signed webhooks to the company's endpoint.

    event_names        the events: their names, types and ids, the JSON of a body
    event_bodies       reads the personal data for the body of an event, and the token for a result
    post_attempt       the record of one request to an endpoint, for people to read
    outbox             the outbox: each conversation's events in order, which are posted or stopped; each
                       endpoint's failures, pause, chosen events and attempts
    recorder           writes an event once and queues its post: what the rest of outreach calls
    endpoint           a project's endpoint: its setting (URL, include), and the names of its signing secrets
    lifted_marks       the ledger row of the event "marks lifted", and the conversation that reports it
    teller             prepares and posts one event, and decides when a failed post is tried again
    endpoint_breaker   the circuit breaker of an endpoint: when the next post may leave, failures counted
    standard_webhooks  makes signatures and their headers; `door.access` compares received ones

A worker writes an event when the thing it reports happens, under a key derived from that thing, and
before the worker's own job ends.  So no crash loses an event, and none is written twice.  The events of
a conversation are posted in their order, each at least once, always under the same id.
"""
