"""What a company has set for a project, and the rules that follow from it.

project              a project, part by part, and what applies where a part cannot be read
item                 a project's stored item, and the values that are read without checks
unreadable           what applies in place of a part that cannot be read
deferred             types of parts that are imported when they are first needed
part                 one setting of a project, validated strictly or leniently
fields               types of the settings' fields, and small groups of settings
channel_config       the senders of each channel, as `company put` checks them
ai_config            the writer's instructions, and what the model may say and see
follow_up_settings   reminders, end messages and fallback channels of an opening; pure
check                the faults that `company put` and `company check` find
companies            the `company-data` table
admission            admits starts under their company's limits; rows in table A
openings             the attributes that a conversation is created with
rules                hand-off rules, quiet hours, WhatsApp's 24-hour window; pure
pace                 the quiet period before an answer, and how many answers a recipient gets
"""
