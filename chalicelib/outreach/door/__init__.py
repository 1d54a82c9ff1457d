"""The Channel Router's door: starts, their outcomes, and whether one would be sent.

In the order of a request:

    router     the request body: checked in the Router's own order, normalised
    access     who asks: the company's API key, and its signature
    message_signatures  HTTP Message Signatures: what must be signed, and by which key
    signature_keys      a company's keys for them
    structured_fields   how their headers are written
    used_signatures     a signature that is taken once
    initiate   the request's steps: access, body, project, admission, queue, response
    shares     how many starts of a company enter a lane, so that others find room
    outcomes   what became of a start, in the Router's fields
    results    what a tool has done comes back
    may_send   whether a message may be sent; nothing is
    reading    what a company's key may read of a conversation
"""
