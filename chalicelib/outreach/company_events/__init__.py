"""Events to companies: what happened in a conversation, as signed webhooks to the company's endpoint.

    event_names        the events: their names, their ids, the fields of a body (a tool's call too)
    event_bodies       the body of an event, rendered
    post_attempt       one request to an endpoint, as people look at it
    outbox             the outbox: the events of each conversation in order, and each endpoint's state
    recorder           writes an event once and has it posted: what the rest of outreach calls
    endpoint           a project's endpoint: its settings and its secrets
    lifted_marks       how it hears that marks were lifted, and in which conversation
    teller             the executor: builds and posts one event, and decides when it is tried again
    endpoint_breaker   nothing is posted for a while to an endpoint that fails
    standard_webhooks  signatures, for both directions

An event is written when a worker reaches what it tells of, under a key of that, before the worker's
own event ends.  So none is lost with a crash, and none is written twice.  The events of a
conversation are posted in their order, each at least once, under an id that stays the same.
"""
