"""The API of a company's register of do-not-contact marks: look up, list, import, lift, subscribe.

register_rows     reads and writes a mark as a row, by columns, for exports, imports and answers; pure
register_parsing  parses a request's body: address, lines, who changes them and why; pure
register_service  performs it: about an address, page, take lines, lift, choose events
register_door     `/register`: authenticates the caller, asks whether their role may change it, and answers
"""
