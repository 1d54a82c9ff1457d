"""What the law at a recipient's place says about unsolicited messages.

rulebook        the rule files: one per jurisdiction, with version, date and legal sources
holidays        public holidays of a year, by rule
opening_hours   the next open time by a rule's hours or without a holiday, in a time zone
recipient_place  the jurisdictions and the time zones that a recipient may be in
permission      which rules refuse a message, and from when on it is allowed; consents, caps; pure
required_words  the words that a first message must have; code adds those that are missing
conversation_rules  gathers a conversation's facts for the rules: place, purpose, consents not withdrawn,
                unsolicited messages sent, template category
next_time       when quiet hours end; when they, the recipient's wish and the rules all allow a message
start_check     whether a start would be sent, without making one

Data: ``files/`` has the rules, ``area_codes.toml`` the places of North American numbers.
"""
