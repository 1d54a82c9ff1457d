"""Richpanel tickets: each new customer comment is classified, routed to a team and perhaps answered.

In the order of an event:

    door            `POST /webhook/richpanel`: verified, parsed, queued
    webhook         checks the token and parses the body into a job; pure
    jobs            what the queue carries: a customer's comment, or a notice that a ticket changed
    flow            turns a job into events, plans and actions, and stores the conversation's state
    looks           which notifications need a read of their ticket, and which one read covers
    arrivals        which comments of a ticket are new
    waiting         the events of a ticket that wait for their turn
    ticket_reading  one read of a ticket, for all the comments that it showed
    inquiry         one message with what has been read of its ticket
    conversation/  what was asked for in a conversation, who is in it, whether a machine may speak; pure
    intents/       which intents a message has, by tables of phrases; pure
    decision        intent, confidence, department, tier and reasons; pure
    opinion         a language model's classification, and when it overrides the tables
    orders/        which order a message is about, and what may be said about it
    replies/       whether an automatic reply may be sent, and its text
    judging         the one path from a conversation to its decision
    routing         the decision and its reply as a plan: tags, assignment, close; pure
    effects         the kinds of side effects: tags, assignment, reply, close
    settable_tags   every tag that a plan can set
    performing      performs the effects on tickets by calls to Richpanel; what an unknown tag means for each
    ticket_texts    what was written in a ticket, for those who may see it
    read_back       finds a reply of unknown outcome among the ticket's comments
    richpanel/     the Richpanel client: reads tickets, and changes them by ids, tags and texts
    lost_tickets    reconciliation: finds tickets whose webhook never arrived
    follow_ups      reconciliation: reads tickets again after a decision in shadow

What these share:

    tickets         a ticket and its comments
    state           table B: what is known of a conversation between two messages
    shadow_decisions a decision made in shadow as table B keeps it, and what people did then; pure
    content_versions short digests of the rules, models and texts of this release
    keys            event and action keys
    reasons         why a ticket got no automatic answer, and how an event of it ended
    configuration/ the settings document: what an operator changes without a release

What builds it, over `chalicelib.shared`:

    doors          the door
    build          what worker, sweep and operators need: Richpanel, table B, the settings document
    work           the worker's part: flow, executors, shop
    model_opinions the language model, where settings name one
    sweep          what the sweep looks for at Richpanel, and how it rebuilds jobs
"""
