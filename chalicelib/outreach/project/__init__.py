"""What a company has set for a project, and the rules that follow from it.

project              a project, part by part, and what holds where a part cannot be read
item                 its item as it is stored: what needs no part to be readable
unreadable           what gives or raises that
deferred             types of parts that are imported when they are needed
part                 one setting: read by itself, strictly or leniently
fields               what the fields of settings must be, and the settings of a few fields
channel_config       the senders on each channel, as they are checked
ai_config            instructions of its writer, what it may say and is shown
follow_up_settings   what a project declares to follow an opening; pure
check                what `company put` and `company check` find wrong
companies            the `company-data` table
admission            starts in table A: admitted under their company's limits
openings             the attributes that a conversation is opened with
rules                hand-off rules, quiet hours, WhatsApp's 24-hour window; pure
pace                 the quiet period before an answer, and how many a recipient may get
"""
