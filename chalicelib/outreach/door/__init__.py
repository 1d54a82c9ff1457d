"""The Channel Router's door: its requests are authenticated, checked and answered here.

In the order of a request:

    router              the request body: checked in the Router's own order, normalised
    access              authenticates the caller: API key, and signature where one is required
    message_signatures  verifies HTTP Message Signatures: what they must cover, and by which key
    signature_keys      a company's keys for HTTP Message Signatures
    structured_fields   parses the headers of HTTP Message Signatures
    used_signatures     lets a signature be used only once
    initiate            accepts a start: access, body, project, admission, queue, response
    shares              how many starts a minute of one company enter a lane
    outcomes            the outcome of a start, in the Router's fields
    results             takes the result of a tool's call
    may_send            says whether a message may be sent; sends nothing
    reading             what a company's key may read of a conversation
"""
