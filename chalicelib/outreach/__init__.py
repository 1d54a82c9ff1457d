"""Outreach: conversations a company starts by WhatsApp, SMS or e-mail, and the answers to replies.

In the order of a conversation:

    door/          `POST /initiate-conversation`: who asks, what is asked, admission under limits
    twilio/        WhatsApp and SMS: webhooks, client, credentials, error codes
    ses/           e-mail: SNS messages, client
    jobs           what the queue carries: starts, replies, delivery receipts, resumes, releases
    flow           the flow of starts, replies and releases; it delegates to the next five
    starting       plans a start: open the conversation, then hold it or have it written and sent
    matching       which conversation a recipient's message belongs to
    replying       plans the answer to a recipient's message
    releasing      plans the message that an operator has approved
    answering      the quiet period before an answer, and how many a recipient may get
    loops          whether a machine answers us; pure
    drafting       shared by these: quiet hours, credentials, the draft
    approval       what a rule holds is written first, so that a person sees it
    waiting        keeps a conversation's order while an event of it waits
    conclusions    writes an event's results into the conversation
    receipts       the flow of delivery receipts: settles unknown sends, advances delivery
    rules          hand-off rules, quiet hours, WhatsApp's 24-hour window; pure
    time_zones     the time zones that a phone number may be in
    event_context  what a run knows of its event, shared by the flow's parts
    notices        what code writes itself: opt-out line, confirmation of a STOP, answer to HELP
    words          STOP, START and HELP in the words of recipients; pure
    spending/      what language models cost: prices, budgets, the calls counted
    writing/       composes messages by templates or by a language model
    conversations/ the conversations table
    actions        the kinds of side effects: messages, hand-offs, what a company and its desk get
    wordings       tables of whole sentences for `words`
    last_look      the last look before a message leaves: at the register, and at who has it
    unwanted       a small model that suspects a wish which no table lists
    sending        performs the actions, and settles texts and e-mails of unknown outcome
    lane_shares    whose share of a lane's workers a slow call takes
    lost_replies   reconciliation: fetches a reply again that its worker had not stored
    lost_texts     reconciliation: finds texts that Twilio received and no door has kept
    handoff        hand-offs for operators and schedules
    desk/          what persons see of hand-offs and do with them: list, conversation, acts
    person_replies  plans the sending of what a person wrote
    following      what comes after: the row of the next step, the conversation on another channel
    reminding      plans a reminder or an end message whose time has come
    response_targets  how long a recipient may wait for a person, in business hours; pure
    handoff_notices e-mails to the company about conversations that wait for a person
    reopening      the template that carries a message outside WhatsApp's 24 hours
    company_events/ what happened, as signed webhooks to the company
    handoff        operators list, approve and take over handed-off conversations

What these share:

    channels       the channels and their names in settings, requests and addresses
    companies      the `company-data` table
    ai_config      a project's `ai_config`: instructions of its writer, what it may say and is shown
    follow_up_settings  what a project declares to follow an opening; pure
    openings       the attributes that a conversation is opened with
    senders        which company a number or address belongs to
    numbers        forms of one phone number
    unsubscribe    one-click unsubscribe: the link in an e-mail, and the page behind it
    standard_webhooks signatures, for both directions
    threads        the thread of an e-mail conversation
    ownership      whether a message or a receipt may touch a conversation
    keys           event and action keys
"""
