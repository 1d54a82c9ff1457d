"""Twilio's posts, signed by another account or with another form."""

from urllib.parse import parse_qsl, urlencode

from twilio.request_validator import RequestValidator

from local.vendors import twilio as twilio_vendor
from local.vendors.twilio import WebhookPost


def signed_by(post, company):
    """The same form as a company's own account would sign it; by default the first one's."""
    account = getattr(company, "ACCOUNT_SID", twilio_vendor.ACCOUNT_SID)
    token = getattr(company, "AUTH_TOKEN", twilio_vendor.AUTH_TOKEN)
    form = dict(parse_qsl(post.body.decode(), keep_blank_values=True))
    form["AccountSid"] = account
    made = RequestValidator(token).compute_signature(post.url, form)
    return WebhookPost(
        post.url, {**post.headers, "X-Twilio-Signature": made}, urlencode(form).encode()
    )
