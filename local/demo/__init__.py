"""`make demo`: the whole system under real webhooks, with its outcome as tables.

run       starts the stack, posts the tickets' webhooks, runs the other parts, checks everything
facts     Aloware and HubSpot webhooks, an outage of Power BI
support   automatic replies to order questions, escalation, shadow mode
follow_ups  a reminder, another channel where one is refused, a start at a time
refusals  STOP over a signature, a doubt that suspends and is decided
places    the rules of a recipient's place: asked before a start, and kept by it
outreach  conversations on three channels, hand-off, STOP, a language model
"""
