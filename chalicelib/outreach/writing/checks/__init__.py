"""The checks of a draft's text, in code; pure.

instructing       whether the recipient's message instructs the machine
contact_details   links, e-mail addresses, phone numbers
claims            promises, acts, states of orders; whether a machine writes
human_claims      whether a text claims that a human being writes
written_language  the language of a text
wording           leaked instructions, placeholders, forbidden topics
segments          how many SMS a text is sent as
text              folded forms of a text, which the other checks compare
"""
