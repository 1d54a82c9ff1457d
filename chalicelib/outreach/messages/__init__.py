"""An outgoing message: what may stop it, what is stored of it, and what follows it.

purpose        the purposes of messages, and one table of how each is treated (`RULES`)
plan           the message in a stored plan; hand-off actions with what they hold
sent           stores a message's outcome by its purpose: entry, status, counts, a tool's open question
ending         fails or withholds a conversation, drops its step, frees its start; called by `sent`
opening_data   the data from which a first message is written, as JSON
look           the last look before a message leaves: at the register, and at who has the conversation
following      schedules the next step; opens the fallback on a channel that the recipient accepts
footer         the end of every e-mail: who sends it, from where, and how to stop it
fixed          texts that no model writes: opt-out line, disclosure, STOP confirmation, HELP answer
threads        the thread of an e-mail conversation: subject, headers, attributes with its Message-IDs
reopening      the template that carries a message outside WhatsApp's 24 hours
"""
