"""The API of a company's register of do-not-contact marks: look up, list, import, lift, subscribe.

register_rows     a mark as a row of an export, an import or an answer; pure
register_parsing  parses what a request asks for; pure
register_service  carries it out
register_door     `/register`: authenticates the company, and answers
"""
