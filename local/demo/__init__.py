"""`make demo`: the whole system under real webhooks, with its outcome as tables.

run       starts the stack, posts the tickets' webhooks, runs the other parts, checks everything
facts     Aloware and HubSpot webhooks, an outage of Power BI
support   automatic replies to order questions, escalation, shadow mode
outreach  conversations on three channels, hand-off, STOP, a language model
"""
