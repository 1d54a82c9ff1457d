"""Redaction: text that is stored, logged, raised or sent to a model passes through here.

`redact` masks a text and `redact_explained` says why, `redact_mapping` masks a JSON-like value;
`model_view` prepares a text for a model, `identifiers` finds what a text for a person must not hold.
Pure: no clock, no network, no environment, standard library only.

    redactor        masks a text by running all passes over it
    json_values     masks JSON-like values
    model_view      a message without names, links and masked values, for a model
    normalise       the normalised view of a text, with offsets back to the original
    sheet           the spans that the passes have claimed for a mask or shielded
    key_names       the meaning of a value by the name of its key
    evidence        the signs for and against masking a number, which other modules weigh
    vocabulary      words that give a number its type
    topics          the nearest such word in a text beside a number
    surroundings    the text beside a number, with masks in it
    email_addresses, links, postal_addresses, places, cards, order_numbers, tracking
                    one kind of identifier each; places extends an address to its postcode
    phones          phone numbers: extensions, and the shapes in which their digits are grouped
    routes          addresses without a word for a street
    street_words    words that streets begin or end with
    card_details    the expiry and the check number beside a card
    births          dates of birth: a date beside a word for it
    dictated        numbers dictated as words, with the words of number_words
    units           units and counted things after a number
    series          lists, ranges and years, which stay
    pasted_secrets  passwords after their word, keys, tokens
    passwords       passwords in a sentence
    one_time_codes  security and one-time codes
    named           codes in groups right after the words "tracking number" or "order number"
    national_ids    national identity numbers, by their letters or check digits
    checked_ids     identity numbers of digits alone, by their groups and check digits
    named_ids       identity numbers beside a word for them, listed in identity_words
    plates          plates of vehicles
    announced       places of words that announce an identifier
    letter_codes    codes of letters and digits
    runs            groups of digits with separators between them
    grouped_cards, grouped_phones, digit_groups
                    numbers written in groups
    unbroken        numbers in one run of digits: card, phone or order, by the evidence beside it
    readable        values that stay readable: UUIDs, dates, prices
    patterns        regular expressions compiled on first use
"""

from chalicelib.redaction.json_values import redact_mapping
from chalicelib.redaction.model_view import identifiers, model_view
from chalicelib.redaction.redactor import Counts, Mask, redact, redact_counted, redact_explained
from chalicelib.redaction.sheet import Kind

__all__ = [
    "Counts",
    "Kind",
    "Mask",
    "identifiers",
    "model_view",
    "redact",
    "redact_counted",
    "redact_explained",
    "redact_mapping",
]
