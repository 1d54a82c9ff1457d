"""E-mail by Amazon SES.

In the order of an e-mail:

    door            the SNS subscription: each message parsed and queued
    webhook         received e-mails and SES events as jobs; pure
    stop_at_door    writes the mark for a STOP, or a possible STOP, before the handler returns
    mail_words      recognises STOP and START in e-mails; pure
    authentication  whether an e-mail's author is proven; pure
    client          sends one e-mail
"""
