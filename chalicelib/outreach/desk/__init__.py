"""The desk: what persons see of conversations that were handed to them, and what they do with them.

One interface for the Desk API, for `ops handoff` and for a screen: `inbox.DeskInbox` lists hand-offs,
shows a conversation and does acts.  The life of a hand-off::

    waiting ──take──▶ taken ──reply──▶ answered ──the recipient writes──▶ taken, and waiting again
       │  ◀──put_back── │
       └────────────────┴──▶ approved | given_back | declined | closed

    case       an act as it is asked for, and what it will do
    holding    who holds a conversation, and who may act on it
    changes    what each act changes of a conversation; pure
    undoing    taking an act back, while nothing has happened since; pure
    lifting    which entry of the register a person at the desk may lift; pure
    stop_ends  what an act makes of a draft that a rule has stopped; pure
    counted_acts  what an act counts as in its day's figures; pure
    row        a row of the acts: fields, words, who may do it
    acts       the acts, each a row
    asked      an act from the body of a request, or why it is none
    inbox      the interface
    inbox_order  the list of hand-offs in its order, page by page
    shown      a conversation and a hand-off as they are shown
    door       the Desk API
    operators  hand-offs for operators and schedules
"""
