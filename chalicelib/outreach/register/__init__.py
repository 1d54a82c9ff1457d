"""The API of a company's register of do-not-contact marks: look up, list, import, lift, subscribe.

register_rows     reads and writes a mark as a row, by columns, for exports, imports and answers; pure
register_parsing  parses a request's body: address, lines, chosen events, who changes it and why; pure
register_service  performs it: what is known of an address, page, import of lines, lift, choice of events
register_door     `/register`: authenticates the caller; which role may change, which only look up; answers
"""
