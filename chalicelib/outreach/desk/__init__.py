"""The desk: persons see the conversations that were handed off to them, and act on them.

One interface for the Desk API, for `ops handoff` and for a screen: `inbox.DeskInbox` lists hand-offs,
shows a conversation and does acts.  The life of a hand-off::

    waiting ──take──▶ taken ──reply──▶ answered ──the recipient writes──▶ taken, and waiting again
       │  ◀──put_back── │
       └────────────────┴──▶ approved | given_back | declined | closed

    case       an act as it is asked for (`AskedAct`), what decides about it (`Case`), its plan (`PlannedAct`)
    holding    which person or machine has a conversation, and the states in which acts are refused
    changes    a function for each act: the hand-off and attributes that it changes; pure
    undoing    taking an act back within ten minutes, while nothing has happened since; pure
    lifting    which opt-out a person at the desk may lift; pure
    stop_ends  whether an act sends, edits or discards a draft that a rule has stopped; pure
    counted_acts  the names under which an act is counted in its day's figures; pure
    act_row    the types of an act's row: fields, words, states, roles, to whom it is offered
    acts       the table of acts, each a row with its button, hint and function
    asked      reads an act from the body of a request, and checks each of its fields
    inbox      the interface: lists, shows, does an act once with journal and event
    inbox_order  the list of hand-offs in its order, page by page, by filter and lane
    shown      hand-off, conversation, message and draft as JSON; a conversation's version
    door       the Desk API: callers, parameters, answers
    operators  hand-offs for operators and schedules: figures, approve, take
"""
