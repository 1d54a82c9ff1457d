"""A message of ours: what stops it, what is kept of it, and what follows.

purpose        what a message is for, and what follows from that: one table
plan           what a plan says of its message
sent           keeps what became of a message (done, refused, unknown), by its purpose
ending         a conversation ends unsent
about          what an opening is written from
look           the last look before a message leaves: at the register, and at who has it
following      what comes after: the row of the next step, the conversation on another channel
footer         the end of every e-mail: who sends it, from where, and how to stop it
fixed          what code writes itself: opt-out line, confirmation of a STOP, answer to HELP
threads        the thread of an e-mail conversation
reopening      the template that carries a message outside WhatsApp's 24 hours
"""
