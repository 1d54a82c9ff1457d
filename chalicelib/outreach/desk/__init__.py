"""The desk: what persons see of conversations that were handed to them, and what they do with them.

One interface for the Desk API, for `ops handoff` and for a screen: `inbox.Inbox` lists hand-offs, shows
a conversation and does acts.  The life of a hand-off::

    waiting ──take──▶ taken ──reply──▶ answered ──the recipient writes──▶ taken, and waiting again
       │                │
       └────────────────┴──▶ approved | given_back | declined | closed

    asked      what a person asks for, and why it is refused
    changes    what each act changes of a conversation; pure
    inbox      the interface
    shown      a conversation and a hand-off as they are shown
    door       the Desk API
    operators  hand-offs for operators and schedules
"""
