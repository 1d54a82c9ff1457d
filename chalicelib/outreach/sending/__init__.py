"""The kinds of side effects of outreach, and the code that performs and settles them.

effects        the kinds: messages, hand-offs, tool calls, posts and notices to companies
prepared       prepares a message for any vendor, and takes the last look
texts          WhatsApp and SMS by Twilio, sent and settled
emails         e-mails by SES, sent and settled
hand_off       hands a conversation to a person
tool_calls     calls tools
notices        e-mails to a company's desk
"""
