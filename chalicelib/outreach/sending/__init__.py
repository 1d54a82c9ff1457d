"""The kinds of side effects of outreach, and the code that performs and settles them.

effects        the kinds, and an effect's key, argument, audit type and payload, by kind
prepared       the sender of any vendor: reads the draft, takes the last look; guard, shares
texts          WhatsApp and SMS by Twilio, sent, settled; templates' variables cleaned
emails         e-mails by SES, sent and settled; HTML, headers, display name
hand_off       performs a hand-off: stores it, informs the company, asks for notices
tool_calls     calls tools: checks declaration, confirmation and person's acts, begins the call
notices        e-mails to a company's desk: queues and sends notices that a hand-off waits
"""
