"""A project: what its company has set for it, and the rules that follow from that.

project              a project's settings, each a `Part`; which channels are left for a fallback
item                 the base class of `Project`: a project's stored item, its equality, and sender,
                     credentials and provider, read without checks
unreadable           replacements for a part that cannot be read: None, on, wait, a person
deferred             types of parts that are imported when they are first needed
part                 the descriptor of one setting, validated strictly or leniently; its faults
fields               types of the settings' fields, and small groups of settings
channel_config       models of each channel's senders, as `company put` checks them
ai_config            models of the writer's settings: instructions, knowledge, limits, shown data
follow_up_settings   models of reminders, end messages and fallback channels; pure
check                the faults that `company put` and `company check` find; unknown names
companies            reads the `company-data` table, also cached
admission            admits starts under their company's limits: minute, day, open; rows in table A and
                     their transaction writes; a start's outcome
openings             the attributes that a conversation is created with
rules                whether persons approve messages, quiet hours, zones, WhatsApp's window, longest text
pace                 whether an answer waits for a quiet period; counts answers to a recipient in a time
"""
