"""A company's register of recipients, as a service: asked about, read, imported, lifted, subscribed to.

register_rows     a mark as a row of an export, an import or an answer; pure
register_parsing  what a company asks for, from the body of a request; pure
register_service  answers it
register_door     `/register`: authenticates the company, and answers
"""
