"""A plain yes agrees as a whole; one word more makes it another message."""

from chalicelib.outreach.tools.agreement import is_yes
from tests.rigs.each_row import each_row

AGREES = (
    *("Yes", "YES!", "yess", "ok", "Yes, please 👍", "yes please 👍🏽", "Yes 😊", "Yes, go ahead"),
    *("yes do it", "Yes thank you", "Yes, submit it", "Absolutely", "Please do", "Go ahead please"),
    *("yes plz", "Ok, yes", "sure, go ahead", "Yes of course", "Do it now", "yep"),
    *("Sí", "siii", "Claro que sí", "Sí, adelante", "Dale", "sí, muchas gracias"),
    *("Sim, pode enviar", "Sim, obrigada", "oui.", "oui svp", "Oui, allez-y", "D'accord"),
    *("Ja, bitte", "ja, danke", "Ja, mach das", "Jawohl", "Certo che sì", "Ja graag"),
)
OTHER = (
    *("No", "", "what?", "yes?", "ok 2", "maybe", "👍", "👎", "please", "thanks", "now", "do"),
    *("yes but not now", "yes yes no", "yes, tomorrow", "Yes, unless it rains", "yeah right"),
    *("ok thanks", "okay, thank you", "sure thanks", "danke", "nein danke", "ok wait", "Y not"),
    *("yeah, sure, like that would ever happen", "Oh yes great, another bot", "yes I read it"),
    *("si no", "Si me pagan más", "sí, mañana", "Claro que não", "ja nein", "ja ja", "na ja"),
    *("Mande", "sí, mande", "Simon", "Sale", "prima, per favore", "send logo"),
    *("Oui, demain", "d'accord mais pas maintenant", "Certo che no", "yesterday", "ok\n> yes?"),
)


@each_row("text", AGREES)
def test_a_plain_yes_agrees_however_it_is_put(text):
    assert is_yes(text)


@each_row("text", OTHER)
def test_nothing_else_agrees(text):
    assert not is_yes(text)
