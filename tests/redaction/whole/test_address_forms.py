"""Addresses of forms that were missed: endings, numbered roads, rural routes, Mexico, small letters."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction import model_view, redact
from tests.rigs.properties import FEW

NUMBER = st.integers(100, 9999)
NAME = st.sampled_from(["Camino", "Boston", "Oak Park", "Miller", "San Luis"])


@FEW
@given(NUMBER, NAME, st.sampled_from(["Real", "Mall", "Common", "Commons", "Yard", "Knoll", "Meadow", "Creek", "Lake", "Springs", "Village", "Fwy", "Pkway", "Xing"]))  # fmt: skip
def test_endings_that_were_missed(number, name, ending):
    assert redact(f"bring it to {number} {name} {ending} today") == "bring it to [ADDRESS] today"


@FEW
@given(
    NUMBER,
    NAME,
    st.sampled_from(["Northwest", "Southeast", "NW", "Southwest", "N.W.", "Northeast"]),
)
def test_quadrants_belong_to_the_street(number, name, side):
    assert redact(f"at {number} {name} Avenue {side}, ok") in {
        "at [ADDRESS], ok",
        "at [ADDRESS]., ok",
    }


@FEW
@given(NUMBER, st.integers(1, 999), st.sampled_from(
    ["{} County Road {}", "{} Highway {}", "{} State Route {}", "{} CR {}", "{} Hwy {}", "{} US Highway {}", "{} FM {}", "{} Avenue {}"]))  # fmt: skip
def test_numbered_roads(number, road, form):
    assert redact(f"it is {form.format(number, road)} there") == "it is [ADDRESS] there"


@FEW
@given(st.integers(1, 9), st.integers(1, 999), st.sampled_from(["RR {} Box {}", "HC {}, Box {}", "Rural Route {} Box {}", "RR#{} Box {}"]))  # fmt: skip
def test_rural_routes(route, box, form):
    assert redact(f"send to {form.format(route, box)} please") == "send to [ADDRESS] please"


MEXICAN = st.sampled_from(
    ["Av. Insurgentes Sur {}", "Calle 5 de Mayo #{}", "Blvd. Manuel Ávila Camacho {}", "Calz. de Tlalpan {}", "Cda. Hidalgo {}",
     "Privada Juárez No. {}", "Prol. Paseo de la Reforma {}", "Circuito Interior {}"]
)  # fmt: skip


@FEW
@given(MEXICAN, NUMBER, st.sampled_from(["", ", Col. Centro", ", Col. Del Valle, C.P. 03100", " Int. 4, Col. Roma Norte"]))  # fmt: skip
def test_mexican_forms(street, number, more):
    assert redact(f"en {street.format(number)}{more}; gracias") == "en [ADDRESS]; gracias"


@FEW
@given(NUMBER, st.sampled_from(["my address is {} oak way", "ship to {} mill close", "i live at {} elm dr", "deliver to {} n main st", "mi dirección es calle mayor {}", "meine adresse ist rosenweg {}", "wohne in der lindenstraße {}"]))  # fmt: skip
def test_small_letters(number, text):
    redacted = redact(text.format(number) + ", ok")
    assert "[ADDRESS]" in redacted
    assert str(number) not in redacted


@FEW
@given(NUMBER, st.sampled_from(["Hekili", "Finch Knoll", "East 10", "Business Loop"]), st.sampled_from(["TX 78253", "HI 96734", "OK 74880-0001"]))  # fmt: skip
def test_state_and_postcode_need_no_word_for_a_street(number, name, place):
    assert redact(f"at {number} {name}, Springfield, {place} ok") == "at [ADDRESS] ok"


def test_a_name_after_a_spanish_introduction_or_as_receiver_is_removed():
    view = model_view(
        "Hola, soy Ana García. Le saluda Luis Pérez. Please ship to Eva Smith today. Soy cliente nuevo."
    )
    assert view == (
        "Hola, soy <redacted>. Le saluda <redacted>. Please ship to <redacted> today. Soy cliente nuevo."
    )
