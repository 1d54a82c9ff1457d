"""What the law of a recipient's place says about messages that they have not asked for.

rulebook        the files: one a jurisdiction, each with its version, its date and its sources
holidays        public holidays of a year, by rule
opening_hours   when the hours of a rule are open, in several time zones at once
recipient_place  the jurisdictions and the time zones that a recipient may be in
permission      whether a message may be sent, by which rules not, and from when on; pure
required_words  the words that an opening must have, and those that code adds
conversation_rules  what the rules look at of a conversation, and their answer
next_time      when quiet hours, the recipient's wish and the rules all allow a message
next_time       when quiet hours, the recipient's wish and the rules all allow a message
start_check     whether a start would be sent, before one is made

Data: ``files/`` has the rules, ``area_codes.toml`` the places of North American numbers.
"""
