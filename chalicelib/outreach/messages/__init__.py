"""An outgoing message: what stops it, what is stored of it, and what follows it.

purpose        the purposes of messages, and how each is treated: one table
plan           the part of a stored plan that describes the message
sent           stores the outcome of a message (done, refused, unknown), by its purpose
ending         ends conversations whose first message is not sent
about          the data from which a first message is written
look           the last look before a message leaves: at the register, and at who has the conversation
following      schedules the next step, and opens the conversation on another channel
footer         the end of every e-mail: who sends it, from where, and how to stop it
fixed          texts that no model writes: opt-out line, confirmation of a STOP, answer to HELP
threads        the thread of an e-mail conversation
reopening      the template that carries a message outside WhatsApp's 24 hours
"""
