"""Passwords in sentences of seven languages, and sentences about passwords."""

import pytest

from chalicelib.redaction import redact
from tests.rigs.each_row import each_row

SAYING = [
    "my password is {}", "the password for my account is {}", "password's {}", "mi contraseña es {}", "la contraseña que uso es {}",
    "mein Passwort ist {}", "das Kennwort für mein Konto lautet {}", "le mot de passe c'est {}", "mon mdp est {}",
    "la mia password è {}", "a minha senha é {}", "a palavra-passe é {}", "mijn wachtwoord is {}", "I use {} as my password",
    "ich benutze {} als Passwort", "utilizo {} como contraseña", "please change my password to {}",
]  # fmt: skip


@each_row("said", SAYING)
@each_row("secret", ["tulip", "Tulip77", "t#lip", '"two tulips"'])
def test_a_password_is_masked_whole_in_every_phrasing(said, secret):
    quote = '"' if secret.startswith('"') else ""
    expected = said.format(f"{quote}***{quote}")
    assert redact(f"{said.format(secret)}, thanks") == f"{expected}, thanks"


def test_the_old_and_the_new_one_are_masked():
    text = "my password used to be tulip, now it's daisy."
    assert redact(text) == "my password used to be ***, now it's ***."


@each_row(
    "how",
    ["wrong", "refused", "abgelaufen", "falsch", "incorrecta", "caducada", "refusé", "oublié", "scaduta", "sbagliata",
     "inválida", "bloqueada", "onjuist", "vergeten", "the same as before", "too long", "not accepted"],
)  # fmt: skip
@each_row("said", SAYING[:13])
def test_a_sentence_about_a_password_stays(said, how):
    text = said.format(how)
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    ["la clave es paciencia", "what is the password to enter?", "is your password safe?", "la contra del libro es azul"],
)  # fmt: skip
def test_what_is_no_password_of_anybody_stays(text):
    assert redact(text) == text
