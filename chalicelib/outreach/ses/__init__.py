"""E-mail by Amazon SES.

In the order of an e-mail:

    door            the SNS subscription: each SNS message parsed, heard for a STOP, and queued
    webhook         makes jobs of received e-mails (headers, parts, reply address, automatic or bulk mail)
                    and of SES events; pure
    stop_at_door    writes the do-not-contact mark for a STOP before the handler returns
    mail_words      recognises STOP and START in e-mails with signatures and sign-offs; pure
    authentication  whether SPF, DKIM or DMARC prove an e-mail's author; pure
    client          sends one e-mail by SES; which errors mean that it may have been sent
"""
