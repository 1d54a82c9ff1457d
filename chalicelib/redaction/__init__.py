"""Redaction: text that is stored, logged, raised or sent to a model passes through here.

`redact` masks a text and `redact_explained` says why, `redact_mapping` masks a JSON-like value;
`model_view` prepares a text for a model, `identifiers` finds the personal data that a text for a
person must not hold. Pure: no clock, no network, no environment, no package but ours.

    redactor        runs all passes over a text and writes its masks; counts and explains them
    json_values     masks JSON-like values: dicts, lists, keys, JSON inside strings
    model_view      a message without names, links and masked values, for a model
    normalise       a text as a reader sees it (escapes, full-width digits), with offsets back to the original
    sheet           spans claimed for a mask or shielded, then blanked (settled) in the text for later
                    passes
    key_names       the meaning of a value by the name of its key
    evidence        the signs for and against masking a number, with weights; `is_masked` adds them up
    vocabulary      words that give a number its type, with typing errors; words that may be between such a
                    word and its number (marks, fillers, links, copulas); words for numbers
    topics          the context before, after or near a number: the nearest such word in the text as masked so
                    far (`Surroundings`), and how they are joined: direct, marked, named, governing
    email_addresses e-mail addresses, written or spelled out ("at", "dot")
    links           links to carriers and with tracking words
    postal_addresses  street addresses by a word for a street, and PO boxes
    places          extends an address by its flat, town, state and postcode
    routes          addresses without a word for a street: numbered roads, rural routes, a side of the town,
                    a number before a postcode
    street_words    words that streets begin or end with
    cards           brands, lengths and check digits (Luhn) of payment cards; masks IBANs; the form of a US
                    SSN
    grouped_cards   payment cards unbroken, in groups (a window of a run) or split by a line's end, by check
                    digit
    card_details    the expiry and the check number beside a card
    order_numbers   order numbers by `#`, a word or a market's form
    tracking        carriers' formats of tracking numbers
    phones          the shapes in which a phone number's digits are grouped; its extension and its mask
    grouped_phones  how many groups of digits form a phone number: by a plus, a zero, a bracket, a label
    births          dates of birth: a date beside a word for it
    dictated        numbers dictated as words
    units           units and counted things after a number
    series          the lengths of lists, ranges, steps and years of digit groups, which stay
    pasted_secrets  keys and tokens by their shape, passwords right after their word
    passwords       passwords in a sentence: "hunter2 is my password"
    one_time_codes  PINs, card check numbers and one-time codes
    named_codes     codes in groups right after the words "tracking number" or "order number"
    national_ids    national identity numbers by their letters; CPF and NIR by check digits
    checked_ids     identity numbers of digits alone by check digits: CH, BE, SE, IN (Verhoeff)
    named_ids       identity numbers beside a word for them
    identity_words  those words, each with its number's form
    plates          plates of vehicles
    announced       places of words that announce an identifier; claims their spans
    letter_codes    codes of letters and digits: hashes stay, long numbers are masked
    runs            groups of digits with separators, plus and brackets around them, split into numbers
    digit_groups    numbers in groups: cards, social security, tracking, ISBN, ISSN, phones, long runs
    unbroken        numbers in one run of digits: card, phone or order, by the evidence beside it
    readable        values that stay readable: UUIDs, MAC and IP addresses, dates, prices
    patterns        regular expressions compiled on first use; hints that save a search
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
