"""E-mail by Amazon SES.

In the order of an e-mail:

    door            the SNS subscription: each message parsed and queued
    webhook         received e-mails and SES events as jobs; pure
    stop_at_door    STOP, and what may be one: the mark is written before the handler returns
    mail_words      what their writers say about being contacted; pure
    authentication  whether an e-mail's author is proven; pure
    client          sends one e-mail
"""
