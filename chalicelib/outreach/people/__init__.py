"""Proves which person of a company acts: by its identity provider, or by a token that we issued.

persons            a person's name, and the text that stores a person with the proof; pure
proof_settings     how a company's persons prove themselves: by a provider, by tokens, or not; pure
assertions         verifies a signed assertion of a provider; pure
company_providers  a provider's public keys, pasted or fetched, and the person of an assertion
desk_tokens        our tokens, one a person: issue, find, list, revoke
team_rows          who has signed in for a company, and who is away until when
acting             the person and the role behind a request
"""
