"""What a company has set for a project, and the rules that follow from it.

companies            the `company-data` table
admission            starts in table A: admitted under their company's limits
openings             the attributes that a conversation is opened with
rules                hand-off rules, quiet hours, WhatsApp's 24-hour window; pure
pace                 the quiet period before an answer, and how many a recipient may get
ai_config            instructions of its writer, what it may say and is shown
follow_up_settings   what a project declares to follow an opening; pure
handoff_notice       whether its desk gets an e-mail about who waits
"""
