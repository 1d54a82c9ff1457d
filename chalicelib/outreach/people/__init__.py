"""Who acts for a company: persons who are proven, by its identity provider or by a token of ours.

persons         names, and the text of a person with who has proven them; pure
proof_settings  how a company's persons prove themselves: by its provider, by tokens, or not at all; pure
assertions      the check of a signed assertion of a provider; pure
company_providers  a provider's keys, as pasted or read from its address, and whom it proves
desk_tokens     tokens of ours, one a person: issued, found, listed, revoked
team_rows       who has signed in for a company, and who is away until when
acting          the person and the role behind a request
"""
