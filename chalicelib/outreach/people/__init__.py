"""Proves which person of a company acts: by its identity provider, or by a token that we issued.

persons            a person's name and key, and the text that stores a person with the proof; pure
proof_settings     settings of how a company's persons prove themselves: provider, tokens, or keys; pure
assertions         verifies a JWT of a provider: claims, roles, keys of a JWK set; pure
company_providers  fetches and caches a provider's public keys, and proves an assertion's person
desk_tokens        our tokens, one a person: issue, find, list, revoke
team_rows          the team: who has signed in for a company; marks who is away, and until when
acting             the proven person behind a request's headers, and their role
"""
