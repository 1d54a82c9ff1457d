"""Redaction: text that is stored, logged, raised or sent to a model passes through here.

`redact` masks a text, `redact_mapping` a JSON-like value; `model_view` prepares a text for a model;
`identifiers` finds what a text for a person must not hold.
Pure: no clock, no network, no environment, standard library only.

    redactor        masks a text by running all passes over it
    mapping         masks JSON-like values
    model_view      a message without names, links and masked values, for a model
    normalise       the normalised view of a text, with offsets back to the original
    sheet           the spans that the passes have claimed for a mask or shielded
    key_names       the meaning of a value by the name of its key
    vocabulary      words that give a number its type
    context         the nearest such word around a number
    emails, links, addresses, places, cards, orders, tracking, phones
                    one kind of identifier each; places extends an address to its postcode
    routes          addresses without a word for a street
    street_words    words that streets begin or end with
    credentials     passwords, keys, tokens, security and one-time codes
    identities      national identity numbers that hold letters
    tokens          codes of letters and digits
    numbers         numbers written in groups; unbroken those in one run
    readable        values that stay readable: UUIDs, dates, prices
    patterns        regular expressions compiled on first use
"""

from chalicelib.redaction.mapping import redact_mapping
from chalicelib.redaction.model_view import identifiers, model_view
from chalicelib.redaction.redactor import Counts, redact, redact_counted
from chalicelib.redaction.sheet import Kind

__all__ = [
    "Counts",
    "Kind",
    "identifiers",
    "model_view",
    "redact",
    "redact_counted",
    "redact_mapping",
]
