"""The Channel Router's door: its requests are authenticated, checked and answered here.

In the order of a request:

    router              the body of a start: checked in the Router's own order, normalised; other doors
                        parse their own bodies
    access              parses the API-key secret, authenticates the caller: API and desk keys, either kind
                        of signature; a desk key's role
    message_signatures  HTTP Message Signatures: the components that they must cover, their signed bytes
    signature_keys      a company's keys for them: hmac-sha256 or ed25519, from and until when
    structured_fields   parses their headers: inner lists, parameters, bytes by label
    used_signatures     lets a signature be used only once
    initiate            answers a start (project, admission, queue) and questions about its outcome; errors
                        403, 404, 429
    shares              how many seconds a company's start waits for its share of a lane
    outcomes            the outcome of a start, as the Router's fields `state`, `reason`, `delivery`
    results             takes the result of a tool's call: checks its token and body, and whether it is late
    may_send            parses the question whether a message may be sent, and answers it; sends nothing
    reading             what a company's key may read of a conversation: why it waits, pages of messages
"""
