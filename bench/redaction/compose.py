"""The kinds of text in which something must be masked.

Every digit in a composed text belongs to its identifier, so any visible digit can be judged.
"""

import random
from collections.abc import Callable

from bench.redaction import identifiers, national
from bench.redaction import sentences as said
from bench.redaction.among import (
    AFTER_TEN,
    EVERY,
    NO_AMOUNT,
    NO_LABEL,
    among,
    bare_ten,
    free,
    free_email,
    ten_after_tail,
    two,
)
from bench.redaction.forms import card_number, country_phone, local_phone, spaced_tracking, us_phone
from bench.redaction.labelled import (
    check_number,
    code,
    expiry,
    labelled,
    password,
    product_sentence,
)
from bench.redaction.oracles import Builder, Composed, at_most_four, last_four
from bench.redaction.spoken import birth, dictated, spoken_email


def _identity(
    language: str, label: tuple[str, ...], make: Callable[[random.Random], str], *, proof: bool
) -> Builder:
    """An identity number after the word that names it, or without it where its form is proof enough."""
    native = language

    def build(rng: random.Random, language: str) -> Composed:
        secret = make(rng)
        if proof and rng.random() < 0.4:
            spoken = rng.choice([native, language])
            return among(rng, spoken, secret, NO_AMOUNT, AFTER_TEN[spoken]), at_most_four(secret)
        lead, end = rng.choice(said.OPENERS[native]), rng.choice(said.CLOSERS[native])
        return f"{lead}{rng.choice(label)}{rng.choice(said.LINKS)}{secret}{end}", at_most_four(
            secret
        )

    return build


MASKED: dict[str, Builder] = {
    "email": free_email,
    "card": free(card_number, EVERY, last_four),
    "iban": free(lambda rng: identifiers.iban(rng)[0], EVERY),
    "ssn": free(national.ssn, NO_LABEL),
    "phone-plus": free(country_phone, NO_AMOUNT),
    "phone-us": free(us_phone, NO_LABEL),
    "phone-ten": bare_ten,
    "phone-ten-tail": ten_after_tail,
    "two": two,
    "phone-local": labelled(said.PHONE, local_phone),
    "product-sentence": product_sentence,
    "cvv": check_number,
    "expiry": expiry,
    "tracking-spaced": labelled(said.TRACKING, lambda rng, _: spaced_tracking(rng)),
    "order-noun": labelled(said.ORDER, lambda rng, _: str(rng.randint(10_000, 999_999_999)), trail=said.ORDER_ENDS),
    "code": code,
    "password": password,
    "dictated": dictated,
    "spoken-email": spoken_email,
    "birth": birth,
    "dni": _identity("es", ("DNI", "mi dni es", "NIF", "documento de identidad"), national.dni, proof=True),
    "nie": _identity("es", ("NIE", "mi nie es", "número NIE"), national.nie, proof=True),
    "codice-fiscale": _identity("it", ("codice fiscale", "il mio codice fiscale è", "CF"), national.codice_fiscale, proof=True),
    "nir": _identity("fr", ("numéro de sécurité sociale", "NIR", "mon numéro de sécu est"), national.nir, proof=True),
    "nino": _identity("en", ("NI number", "my national insurance number is", "NINO"), national.nino, proof=True),
    "nhs": _identity("en", ("NHS number", "my NHS number is", "NHS no."), national.nhs, proof=False),
    "cpf": _identity("pt", ("CPF", "meu cpf é", "CPF nº"), national.cpf, proof=True),
    "pesel": _identity("en", ("PESEL", "my pesel is", "numer PESEL"), national.pesel, proof=True),
    "bsn": _identity("en", ("BSN", "my BSN is", "burgerservicenummer"), national.bsn, proof=False),
    "personnummer": _identity("en", ("personnummer", "my personnummer is", "mitt personnummer är"), national.personnummer, proof=False),
}  # fmt: skip
