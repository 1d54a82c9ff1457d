"""Properties for every text: idempotent, deterministic, capped, linear, never an exception."""

import json
import subprocess
import sys
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from chalicelib.redaction import redactor
from chalicelib.redaction.normalise import normalise
from chalicelib.redaction.redactor import redact, redact_counted
from chalicelib.redaction.sheet import Kind
from tests.rigs.each_row import each_row
from tests.rigs.properties import FEW

ANY_TEXT = st.text(st.characters(blacklist_categories=()), max_size=300)
DENSE_TEXT = st.text("0123456789 -.()+#@:/*%&;,abxzorderno\n\u200b１٣é", max_size=120)
WORDS = st.sampled_from(
    ["order", "#", "no.", "tracking", "call", "card", "1Z", "12", "1001", "48213", "5550142", "is my",
     "212-555-0142", "***", "***1234", "***@***", "***-***-1234", "[ADDRESS]", "jo@example.com", "at",
     "dot", "com", "Main Street", "2024-01-05", "$", "DE89", "GB", "RR", "/", "-", ".", "\n", "%40"]
)  # fmt: skip
MIXED_TEXT = st.lists(st.tuples(WORDS, st.sampled_from(["", " ", "-"])), max_size=14).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)


@FEW
@given(st.one_of(ANY_TEXT, DENSE_TEXT, MIXED_TEXT))
@example("100000-010-0000000")
@example("0000000/ORDER0000")
def test_redaction_is_idempotent_and_deterministic(text):
    once = redact(text)
    assert redact(once) == once
    assert redact(text) == once


@FEW
@given(st.text(st.characters(blacklist_categories=("Nd", "Nl", "No", "Mn", "Me", "Cf"), max_codepoint=0x24F,
                             blacklist_characters="@/.&%\\="), max_size=300))  # fmt: skip
def test_a_text_without_digits_signs_and_links_is_returned_untouched(text):
    if " dot " not in text.lower() and "(at)" not in text.lower():
        assert redact(text) == text


@each_row(
    "text",
    ["", "\x00", "\ud800", "\udfff1234567", "\ud83d\ude00", "\u202e5550142\u202c", "\x001234567\x00",
     "a" * 300_000, "\ud800" * 200_000, "中" * 200_000, "&#64;" * 60_000, "\u200b" * 100_000, "=40a" * 9],
)  # fmt: skip
def test_every_str_is_accepted(text):
    assert isinstance(redact(text), str)


@FEW
@given(
    st.one_of(DENSE_TEXT, MIXED_TEXT, st.text("0123456789 .:/-+#<wbr>\n\u2009aepm", max_size=80))
)
def test_no_pass_raises(text):
    """`redact` would hide an error behind `***`; the pass itself must not have one."""
    redactor.masked_sheet(normalise(text))


def test_the_tail_beyond_the_cap_is_dropped():
    text = "x" * (256 * 1024 - 20) + " and call 212-555-0142 or jo@example.com"
    redacted = redact(text)
    assert len(redacted.encode()) <= 256 * 1024
    assert "0142 or" not in redacted
    assert "555" not in redacted
    assert redact(redacted) == redacted


def test_the_cap_counts_bytes_and_cuts_between_characters():
    redacted = redact("é" * 300_000)
    assert len(redacted.encode()) == 256 * 1024
    assert set(redacted) == {"é"}


def test_a_text_that_cannot_be_read_is_dropped(monkeypatch):
    def broken(_sheet):
        raise RuntimeError

    monkeypatch.setattr(redactor, "mask_numbers", broken)
    assert redact("call 212-555-0142") == "***"


def test_only_the_kinds_of_masked_values_are_counted():
    text, counts = redact_counted("order 1234567, jo@example.com, al@example.com, 212-555-0142")
    assert text == "order ***4567, ***@***, ***@***, ***-***-0142"
    assert dict(counts) == {Kind.ORDER: 1, Kind.EMAIL: 2, Kind.PHONE: 1}


def test_a_table_of_thousands_of_numbers_is_masked_completely():
    text = "\n".join(f"row {n} 212-555-0{n % 1000:03}" for n in range(5000))
    redacted = redact(text)
    assert not any(char.isdigit() for char in redacted)
    assert redact(redacted) == redacted


ROOT = Path(__file__).parents[3]
HOSTILE = [
    "a", "1", " ", "@", "a@", "a@a.a.a", "a.a@", "order ", "order order #", "#1", "1.", "1-", "1 ", "+1 ", "(1",
    "aGVsbG8gd29ybGQ1NTUx", "1234567 ", "call 555-123-4567 ", "4111 ", "1z", "RR 123 456 78", "de12", "a1",
    "12 rue de ", "1 Main ", "Calle Mayor ", "Astr 1", "a at b dot ", " at ", "http://", "%40", "&#64;", "\\u0040",
    "\u200b1", "１", "½", "eyj-", "sk-", "password: a ", "cvv 1", "1 A, ", "a(ät)", "wamid.", "-----begin private key-----", "4111\n", "12.10.24 ",
    "4111111111111111 12/27 123\n", "529.982.247-25 ", "born on 1.1.90 ", "one two three ", "code a 123456 ", "pass a1!b ", "1 A A A A ",
    "An der A 1, 12345 B ", "tracking number AB 12 ", "order no A 1 ", "exp 12/27 ", "100, 200, ",
    "1\u2009", "1 my address is ", "5 de calle ", "a.\n@", "***", "***-", "***1", "[", '{"a":', "2026-01-03 ", "1.1.1.1", "-aaaa-aaaa-aaaa", "aa:bb:",
    "passport a1 ", "nie x1 ", "my password is a ", "password ", "a1!b is my password ", "the car AB12 ", "plate a 1 ", "b. 1/1/1990 ",
    "AB12 CDE is my plate ", "1234 5678 9012 ", "dob a, ", "89.05.01-991.10 ",
]  # fmt: skip


def test_no_hostile_input_of_a_hundred_kilobytes_is_slow():
    """A non-linear step would take hours; the benchmark measures how the times grow."""
    code = (
        "import json, sys; from chalicelib.redaction import redact; "
        "[redact(text * (100_000 // len(text))) for text in json.load(sys.stdin)]; print('done')"
    )
    run = subprocess.run([sys.executable, "-c", code], input=json.dumps(HOSTILE), cwd=ROOT,
                         capture_output=True, text=True, check=True, timeout=300)  # fmt: skip
    assert run.stdout.strip() == "done"


def work(text):
    """How many functions are called to redact a text: no clock, so the same on every machine."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        redact(text)
    finally:
        sys.setprofile(None)
    return calls


@each_row("piece", HOSTILE)
def test_work_grows_as_the_text_does(piece):
    """Four times the text may cost five times the calls; the square would be sixteen."""
    short, long = (work(piece * (size // len(piece))) for size in (4_000, 16_000))
    assert long <= 5 * short + 500


def test_the_package_imports_nothing_from_the_network_or_outside_the_standard_library():
    code = (
        "import sys; import chalicelib.redaction; "
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'socket', 'ssl', 'boto3', 'requests', 'json'}))"
    )
    run = subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert run.stdout.strip() == "[]"
