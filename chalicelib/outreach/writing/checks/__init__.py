"""The checks between a draft and its sending, in code; pure.

instructing  whether the recipient's message instructs the machine
contact_details  links, e-mail addresses, phone numbers
claims       promises, acts, states of orders that no source gives: `statements.toml`
human_claims  whether a text claims that a human being writes: `speakers.toml`
written_language  in which language a text is written
wording      the machine's instructions, placeholders, forbidden topics
segments     how many SMS a text is sent as
text         forms of a text that the others compare
"""
