"""E-mail addresses and cards as people hide or break them."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction import redact
from tests.rigs.properties import FEW

NAMES = st.from_regex(r"[a-z]{3,8}(\.[a-z]{3,8})?[0-9]{0,2}", fullmatch=True)
HOSTS = st.sampled_from(["gmail", "example", "beispiel", "mi-tienda", "hotmail"])
TOPS = st.sampled_from(["com", "de", "es", "org", "mx"])
AT = st.sampled_from(["(ät)", " (ät) ", "[ät]", " ät ", " arroba ", "(arroba)", "[arroba]", " (at) ", "(a)", " [klammeraffe] ", "(@)"])  # fmt: skip
DOT = st.sampled_from(
    ["[punkt]", " punkt ", "(punkt)", " (punto) ", "[punto]", " . ", " .", "[dot]", "(.)"]
)


@FEW
@given(NAMES, AT, HOSTS, DOT, TOPS)
def test_an_address_spelled_in_spanish_or_german_is_masked(name, at, host, dot, top):
    assert redact(f"> {name}{at}{host}{dot}{top} <") == "> ***@*** <"


@FEW
@given(NAMES, HOSTS, st.sampled_from([" . ", ". ", " .", " punkt ", " dot ", "[punkt]", " (punto) ", ".\n"]), TOPS,
       st.sampled_from(["@", " @ ", "@ "]))  # fmt: skip
def test_spaces_and_words_inside_the_domain_do_not_hide_it(name, host, dot, top, at):
    assert redact(f"mail {name}{at}{host}{dot}{top}, ok") == "mail ***@***, ok"


@FEW
@given(NAMES, HOSTS, TOPS, st.integers(1, 20), st.sampled_from(["<wbr>", "<WBR/>", "<wbr />"]))
def test_a_break_tag_inside_an_address_or_card_hides_nothing(name, host, top, cut, tag):
    address = f"{name}@{host}.{top}"
    cut = min(cut, len(address) - 1)
    assert redact(f"to {address[:cut]}{tag}{address[cut:]} now") == "to ***@*** now"
    card = "4111 1111 1111 1111"
    cut = min(cut, len(card) - 1)
    assert redact(f"to {card[:cut]}{tag}{card[cut:]} now") == "to ***1111 now"


@FEW
@given(st.sampled_from([5, 10, 15]), st.sampled_from(["\n", "\r\n", "\n> ", "\n> > "]))
def test_a_line_break_inside_a_card_or_after_the_sign_hides_nothing(cut, broken):
    card = "4111 1111 1111 1111"
    assert redact(f"card {card[: cut - 1]}{broken}{card[cut:]} ok") == "card ***1111 ok"
    assert redact("to jo.smith@\nexample.com now") == "to ***@*** now"


@FEW
@given(st.sampled_from(["my gmail is", "mein gmx ist", "mi hotmail es", "gmail:", "my yahoo account is"]),
       st.from_regex(r"[a-z]{3,8}[._][a-z]{3,8}|[a-z]{3,8}[0-9]{2}", fullmatch=True))  # fmt: skip
def test_a_mailbox_named_by_its_provider_is_masked(lead, name):
    assert redact(f"{lead} {name} ok") == f"{lead} ***@*** ok"
    assert redact(f"{lead} full") == f"{lead} full"
