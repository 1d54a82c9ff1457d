"""The kinds of side effects of outreach, and the code that performs and settles them.

effects        the kinds, and an effect's key, argument, audit type and payload, by kind
prepared       the base of texts and e-mails: reads the draft, takes the last look; guard, shares
texts          WhatsApp and SMS by Twilio; an unknown one is settled by Twilio's list of sent messages;
               templates' variables cleaned
emails         e-mails by SES; an unknown one is settled by the events that SES has reported; HTML, headers,
               display name
hand_off       performs a hand-off: stores it, informs the company, asks for notices
tool_calls     calls tools: checks declaration, confirmation and person's acts, begins the call
notices        e-mails to a company's desk: queues and sends notices that a hand-off waits
"""
