"""What looks like a date, an IP address or a count and is a phone number, and the other way round."""

import random

from hypothesis import assume, given
from hypothesis import strategies as st

from chalicelib.redaction.redactor import redact
from tests.rigs.properties import FEW

TWO = st.integers(0, 99).map("{:02}".format)
DAY = st.integers(1, 28).map("{:02}".format)
MONTH = st.integers(1, 12).map("{:02}".format)
YEAR = st.integers(24, 29).map(str)
MARK = st.sampled_from([".", "-"])
PREFIXES = st.sampled_from(
    ["+33 6 ", "+49 152 ", "0033 6 ", "Tel. 0221 ", "Telefon: 0152 ", "call 0221 ", "+52 (55) ", "my phone is 0171 / "]
)  # fmt: skip


@FEW
@given(PREFIXES, DAY, MONTH, YEAR, MARK)
def test_a_phone_number_whose_tail_is_a_date_is_masked(prefix, day, month, year, mark):
    redacted = redact(f"{prefix}{day}{mark}{month}{mark}{year} please")
    assert redacted.endswith(f"***-***-{month}{year} please")
    assert sum(map(str.isdigit, redacted)) == 4


@FEW
@given(PREFIXES, TWO, TWO, TWO, TWO)
def test_a_phone_number_whose_tail_is_an_ip_address_is_masked(prefix, a, b, c, d):
    redacted = redact(f"{prefix}{a}.{b}.{c}.{d} please")
    assert redacted.endswith(f"***-***-{c}{d} please")


@FEW
@given(st.integers(1, 9), TWO, TWO, st.integers(10, 99))
def test_octets_with_a_leading_zero_are_no_ip_address(a, b, c, d):
    assume(c != "00")
    assert redact(f"at 0{a}{b[0]}.1{c}.{c}.{d} ok") == f"at ***-***-{c}{d} ok"


TIMES = st.tuples(
    st.integers(0, 23), st.integers(0, 59), st.sampled_from(["", ":07", ":59"]), st.sampled_from(["", " AM", " pm", "pm"])
).map(lambda t: f"{t[0] or 12:02}:{t[1]:02}{t[2]}{t[3]}")  # fmt: skip
ORDERS = st.sampled_from(["{d}{s}{m}{s}{y}", "{m}{s}{d}{s}{y}", "{y}{s}{m}{s}{d}"])
JOINTS = st.sampled_from([" ", ", "])
QUOTES = st.sampled_from(
    ["On {}, Ana wrote:", "Am {} schrieb Ana:", "El {} Ana escribió:", "[{}] Ana:", "Sent: {}"]
)


@FEW
@given(QUOTES, ORDERS, st.sampled_from("./-"), DAY, MONTH, TIMES, JOINTS)
def test_a_date_with_a_time_stays_whole_in_every_order(quote, order, mark, day, month, time, joint):
    text = quote.format(order.format(d=day, m=month, y="2024", s=mark) + joint + time)
    assert redact(text) == text


@FEW
@given(DAY, MONTH, YEAR, st.sampled_from("./"), TIMES)
def test_a_short_date_with_a_time_stays_whole(day, month, year, mark, time):
    for text in (
        f"On {day}{mark}{month}{mark}{year}, {time} Ana wrote:",
        f"{time} {day}{mark}{month}{mark}2024",
    ):
        assert redact(text) == text


@FEW
@given(st.integers(0, 2**32), st.sampled_from(["a", "I", "we", "you"]),
       st.sampled_from(["call", "called", "recalled", "Calls", "avenged", "via", "calling"]))  # fmt: skip
def test_a_phone_number_after_a_word_that_begins_like_a_street_is_no_address(seed, who, word):
    rng = random.Random(seed)
    line = f"{rng.randint(200, 999)} {rng.randint(200, 999)} {rng.randint(0, 9999):04}"
    assert redact(f"{who} {word} {line} twice") == f"{who} {word} ***-***-{line[-4:]} twice"


def _issn(digits):
    check = -sum(int(d) * w for d, w in zip(digits, range(8, 1, -1), strict=True)) % 11
    return f"{digits[:4]}-{digits[4:]}{'X' if check == 10 else check}"


@FEW
@given(st.from_regex(r"[1-9][0-9]{6}", fullmatch=True))
def test_an_issn_stays_by_its_check_digit(digits):
    text = f"the magazine {_issn(digits)} arrived"
    assert redact(text) == text


@FEW
@given(st.integers(2000, 2029), st.integers(1, 366))
def test_an_ordinal_date_stays(year, day):
    text = f"built on {year}-{day:03} here"
    assert redact(text) == text


@FEW
@given(st.from_regex(r"[0-9a-f]{7,8}-[0-9a-f]{4}-[0-9a-f]{3,4}-[0-9a-f]{4}-[0-9a-f]{10,13}", fullmatch=True),
       st.from_regex(r"([0-9a-f]{2}[:]){5,6}[0-9a-f]{1,3}", fullmatch=True))  # fmt: skip
def test_malformed_guids_and_macs_stay(guid, mac):
    assume(any(char in "abcdef" for char in guid))
    text = f"device {guid} at {mac} offline"
    assert redact(text) == text


@FEW
@given(st.integers(1, 99), st.lists(st.integers(0, 999).map("{:03}".format), min_size=2, max_size=3),
       st.sampled_from("\u2009\u202f"))  # fmt: skip
def test_a_count_with_thin_spaces_stays(head, groups, space):
    text = f"about {space.join([str(head), *groups])} inhabitants"
    assert redact(text) == text


@FEW
@given(st.sampled_from(["000", "0000", "000000", "00000000"]), st.integers(1, 400),
       st.from_regex(r"[0-9]{5,18}", fullmatch=True))  # fmt: skip
def test_black_and_long_decimals_stay(black, whole, decimals):
    text = f"background #{black}; ratio {whole}.{decimals}"
    assert redact(text) == text


def test_place_names_that_begin_with_a_number_stay():
    for name in (
        "29 Palms Highway",
        "29 Palms, CA",
        "7 Mile Beach Road",
        "100 Mile House",
        "8 Mile Road",
        "6 Flags Drive",
    ):
        assert redact(f"we drove to {name} today") == f"we drove to {name} today"


@FEW
@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_after_the_word_for_an_order_stays(hour, minute):
    text = f"My booking: {hour:02}:{minute:02} in the evening, order by {hour}:{minute:02}"
    assert redact(text) == text
