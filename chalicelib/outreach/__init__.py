"""Outreach: conversations a company starts by WhatsApp, SMS or e-mail, and the answers to replies.

In the order of a conversation:

    door/          `POST /initiate-conversation`: the caller's key, the request, the limits on starts
    twilio/        WhatsApp and SMS: webhooks, client, credentials, error codes
    ses/           e-mail: SNS messages, client
    jobs           the jobs on the queue, with their FIFO groups and lanes: starts, replies, receipts
    events/        what happens: one module for each kind of event
    hearing/       who wrote a message, and to which conversation the message belongs
    consent/       refusals to be contacted (STOP), and how a recipient takes them back (START)
    wishes/        at which times and on which channels a recipient wants messages
    jurisdictions/ what the law at a recipient's place says about unsolicited messages
    register/      the API by which a company reads and fills its do-not-contact register
    writing/       composes messages by templates or by a language model
    tools/         a project's tools: functions of the company that a writer may ask for
    spending/      what language models cost: prices, budgets, the calls counted
    messages/      an outgoing message: what stops it, what is stored of it, and what follows it
    sending/       the code that performs each kind of side effect at a vendor
    company_events/ what happened, as signed webhooks to the company
    people/        the persons who act for a company: their sign-in and their roles
    desk/          the company's view of hand-offs: the list, one conversation, a person's acts

What these share:

    trust          who an entry of a conversation is from, and so what it may prove
    channels       the channels: for each, one record of how it differs from the others
    channel_traits the fields of those records: kind of address, form of a first message, carrier
    numbers        the several spellings of one phone number; pure
    addresses      a phone number or e-mail address as a request gives it, normalised
    field_names    names of fields as errors show them
    visible_text   whether a text is one line, blank, or has half characters; a text as one line; pure
    conversations/ the conversations table
    project/       a project's settings, and the rules that follow from them
    doubtful       of a message, by `consent.contact_words`: whether a person must judge if it is a STOP, and
                   which purposes it refuses
    senders        which company a number or address belongs to: rows of `company-data`
    keys           event keys (`evt:...`), action keys (`act:...`) and ids of messages
    reasons        why a message was not sent, or not yet, and why a person has a conversation
    resume         the jobs, and the rebuilders, that put a stored event or start back on the queue
    lane_shares    the key of a company's or endpoint's share of a lane, for `once.share`
    languages      the languages of our fixed texts, and the language of a project
    value_roles    what a value in a sentence is: a deposit, a balance, the date of a delivery
    time_zones     the time zones that a phone number may be in

What builds it, over `chalicelib.shared`:

    doors          the HTTP and SNS doors, each with its stores loaded at its first request
    build          the tables that worker, sweep and operators have in common, and the desk
    carriers       the clients of Twilio and SES, the companies' shares of their lanes
    work           what messages need: flows, texts and e-mails, composer, writers
    model_drafts   the clients of language models, their spending and checked drafts
    telling        what companies are sent: hand-offs, tool calls, the teller of events, notices
    sweep          gives the sweep its rebuilders and the search for lost texts at Twilio
"""
