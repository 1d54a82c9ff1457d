"""What leaves: the kinds of side effects, and the hands that perform and settle them.

effects        the kinds: messages, hand-offs, what a company and its desk get
prepared       what every vendor's messages are prepared with
texts          WhatsApp and SMS by Twilio, sent and settled
emails         e-mails by SES, sent and settled
hand_off       hands a conversation to a person
tool_calls     calls tools
notices        e-mails to a company's desk
"""
