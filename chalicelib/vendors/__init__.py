"""Parts that every vendor client shares, and the vendors that more than one system calls.

http            the HTTP client under every vendor client: a call with its deadline, rate limit, breaker,
                log line and metrics; the header of a bearer secret, and the origin and path of a URL
http_answers    a vendor's HTTP response: status, body, Retry-After, and which error it becomes
clock_skew      how far a vendor's clock is from ours
deadline        HTTP sessions whose sockets are cut at a deadline, and whether a request was sent
posting         posts to an address that a company has chosen; checks that its hosts are public
documents       reads a JSON object at an address that a company has chosen
signed          a request that an SDK has signed, sent within a deadline
rate_limit      waits for a token of a vendor's bucket: acquire, cool down after a 429, split of a limit
level           how full a token bucket is and which lines wait at it: pure decisions; a container's own
                level, and the port `Levels`
shared_level    a level that all containers share, in a row of table A
reasons         why a vendor request failed: reasons of our own, reasons of the vendor
breaker         circuit breaker per vendor, or per model, and container
lenient         lenient reading of vendor responses
html_text       plain text of an HTML message body
linear          a small linear model of messages: features, packed weights, probabilities
reply_text      splits a mail into new lines, quoted history and signature
reply_html      an HTML mail as text in which the elements of history and signature are marked
reply_marks     patterns by which mail programs mark history: attributions, separators, headers, footers
reply_signatures  where a greeting ends and a signature starts: closings, contacts, names, disclaimers
reply_sign_offs  last lines that may be only names, titles and companies
machine_mail    whether a machine wrote a message: its sender, headers, subject, words
language_model  the port of a language model: request, answer, usage, fallback model
openai          that port on OpenAI's Responses API
bedrock         that port on Amazon Bedrock
converse        the bodies of Bedrock's Converse API
guardrail       a Bedrock guardrail that judges texts
"""
