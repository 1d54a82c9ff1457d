"""What every vendor client shares, and the vendors that more than one system calls.

http            the HTTP client under every vendor client: deadline, rate limit, breaker
http_answers    a vendor's HTTP response, and which error of the tree it becomes
clock_skew      how far a vendor's clock is from ours
deadline        HTTP sessions that end at a deadline and know whether a request was sent
posting         posts to an address that a company has chosen: public ones only
documents       reads a JSON object at an address that a company has chosen
signed          a request that an SDK has signed, sent within a deadline
rate_limit      token bucket per vendor and container
level           how full a token bucket is and who waits at it: pure decisions
shared_level    a level that all containers share, in table A
reasons         why a vendor request failed: what we refused ourselves, what the vendor did
breaker         circuit breaker per vendor and container
lenient         lenient reading of vendor responses
html_text       plain text of an HTML message body
linear          a small linear model of messages
reply_text      what was newly written in a mail, apart from history and signature
reply_html      an HTML mail as text in which history is marked
reply_marks     the wordings by which mail programs mark history
reply_signatures  greetings, signatures and disclaimers
reply_sign_offs  last lines that may be only names, titles and companies
machine_mail    whether a machine wrote a message
language_model  the port of a language model
openai          that port on OpenAI's Responses API
bedrock         that port on Amazon Bedrock
converse        the bodies of Bedrock's Converse API
guardrail       a Bedrock guardrail that judges texts
"""
