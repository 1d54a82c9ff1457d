"""Outreach: conversations a company starts by WhatsApp, SMS or e-mail, and the answers to replies.

In the order of a conversation:

    door/          `POST /initiate-conversation`: who asks, what is asked, admission under limits
    twilio/        WhatsApp and SMS: webhooks, client, credentials, error codes
    ses/           e-mail: SNS messages, client
    jobs           what the queue carries: starts, replies, delivery receipts, resumes, releases
    events/        what happens: one module for each kind of event
    hearing/       who has written, and to which conversation it belongs
    consent/       the wish not to be contacted, and its end
    wishes/        what a recipient wishes of time and channel, and whether they ask who writes
    jurisdictions/ what the law of a recipient's place says about messages not asked for
    register/      whom a company must not contact, as a service of its own for the company
    writing/       composes messages by templates or by a language model
    tools/         a project's tools: what a writer may ask for on a recipient's behalf
    spending/      what language models cost: prices, budgets, the calls counted
    messages/      a message of ours: what stops it, what is kept of it, and what follows
    sending/       what leaves: the kinds of side effects, and their hands
    company_events/ what happened, as signed webhooks to the company
    people/        who acts for a company: persons who are proven, and their roles
    desk/          what persons see of hand-offs and do with them: list, conversation, acts

What these share:

    trust          whose word an entry of a conversation is
    channels       the channels: one record each of what differs between them
    channel_traits the fields of those records
    numbers        forms of one phone number; pure
    addresses      phone numbers and e-mail addresses as a request gives them
    field_names    names of fields as errors show them
    conversations/ the conversations table
    project/       what a company has set for a project, and the rules that follow from it
    doubtful       whether a message may be a wish to get no further one
    senders        which company a number or address belongs to
    keys           event and action keys
    reasons        why a message was not sent, or not yet, and why a person has a conversation
    resume         the jobs by which events come back to the queue, made again from rows and kept starts
    lane_shares    whose share of a lane's workers a slow call takes
    languages      the languages that code writes in, its texts, and the language of a project
    value_roles    what a value may be: a deposit, a balance, the date of a delivery
    time_zones     the time zones that a phone number may be in

What builds it, over `chalicelib.shared`:

    doors          the doors, each loaded at its first request
    build          the tables that worker, sweep and operators have in common, and the desk
    carriers       Twilio, SES and the shares of their lanes
    work           the worker's part: flows, the clients and hands that send for each vendor, writers
    model_drafts   the language models and their checked drafts
    telling        what reaches companies: hand-offs, calls of tools, events, notices
    sweep          the sweep's part: what is looked for at Twilio, rebuilders, settlers
"""
