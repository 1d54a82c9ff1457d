"""What the law at a recipient's place says about unsolicited messages.

rulebook        the rule files: one per jurisdiction, with version, date and legal sources
holidays        public holidays of a year, by rule
opening_hours   when a rule's hours allow messages, in a time zone
recipient_place  the jurisdictions and the time zones that a recipient may be in
permission      whether a message may be sent, which rules refuse it, and from when on it may; pure
required_words  the words that a first message must have; code adds those that are missing
conversation_rules  asks the rules about a conversation's next message
next_time       when quiet hours, the recipient's wish and the rules all allow a message
start_check     whether a start would be sent, without making one

Data: ``files/`` has the rules, ``area_codes.toml`` the places of North American numbers.
"""
