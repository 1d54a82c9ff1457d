"""Richpanel tickets: each new customer comment is classified, routed to a team and perhaps answered.

In the order of an event:

    door             `POST /webhook/richpanel`: verifies, parses and queues
    webhook          checks the token; parses the body, strict JSON or broken, into a job; pure
    jobs             the models of the queue's jobs: a customer's comment, a notice that a ticket changed
    flow             the steps of an event: plan, recheck, build (a stored reply is checked once more, a
                     resumed event's is composed again), conclude with the conversation's new state
    looks            which notifications need a read of their ticket, and which one read covers
    arrivals         which comments of a ticket are new events, by event keys and the floor of first contact
    waiting          the list of a ticket's events that wait for their turn, in table B
    ticket_reading   one read of a ticket, for all the comments that it showed; advances its tags
    inquiry          one message with what has been read of its ticket: its comment, newer ones
    conversation/    what was asked for in a conversation, who is in it, whether a machine may speak; pure
    intents/         which intents a message has, by tables of phrases, a model and a grammar; pure
    decision         from intents and risks to route, tier, tags and reasons, by thresholds; pure
    opinion          asks a language model, by a strict JSON schema, for a classification to merge
    orders/          which order a message is about, and what may be said about it
    replies/         whether an automatic reply may be sent, and its text
    judging          the one path from a conversation to its decision and verdict
    routing          the decision and its reply as a plan of steps: tags, assignment, close; pure
    effects          the kinds of side effects and their keys: tags, assignment, reply, close; references
    settable_tags    every tag that a plan can set
    performing       performs the effects on tickets by calls to Richpanel; what an unknown tag means for each
    ticket_texts     answers a request for the texts of a ticket, for those who may see them
    read_back        finds a reply of unknown outcome among the ticket's comments
    richpanel/       the Richpanel client: reads tickets, and changes them by ids, tags and texts
    lost_tickets     reconciliation: lists or walks tickets, to find those whose webhook never arrived
    follow_ups       reconciliation: reads tickets again after a decision in shadow

What these share:

    tickets          the types: a ticket, its comments, a page of tickets
    state            table B: reads and conditional writes of what is known of a conversation
    shadow_decisions a decision made in shadow as table B keeps it, and what people did then; pure
    content_versions short digests of the rules, models and texts of this release
    keys             the formats of event keys and action keys
    reasons          the codes and words of why a ticket got no automatic answer, or how its event ended
    configuration/   the settings document: what an operator changes without a release

What builds it, over `chalicelib.shared`:

    doors            the door, with its tokens
    build            what worker, sweep and operators need: Richpanel, table B, the settings document
    work             the worker's part: flow, executors, read-back, replies, shop
    model_opinions   the language model, where settings name one
    sweep            what the sweep looks for at Richpanel, and how it rebuilds jobs
"""
