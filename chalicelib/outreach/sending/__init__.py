"""What leaves: the kinds of side effects, and the hands that perform and settle them.

effects        the kinds: messages, hand-offs, what a company and its desk get
prepared       performs the messages, and settles texts and e-mails of unknown outcome
tool_calls     calls tools
notices        e-mails to a company's desk
"""
