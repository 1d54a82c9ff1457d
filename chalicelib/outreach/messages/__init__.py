"""A message of ours: what stops it, what is kept of it, and what follows.

sent           writes an event's results into the conversation
look           the last look before a message leaves: at the register, and at who has it
following      what comes after: the row of the next step, the conversation on another channel
fixed          what code writes itself: opt-out line, confirmation of a STOP, answer to HELP
threads        the thread of an e-mail conversation
reopening      the template that carries a message outside WhatsApp's 24 hours
"""
