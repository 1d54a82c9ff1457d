"""STOP, START and HELP in the words of recipients."""
# ruff: noqa: RUF001

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import consent
from chalicelib.outreach.consent import unwanted
from chalicelib.outreach.consent.contact_words import CARRIERS, HeardBy, Scope, Word, recognise
from tests.rigs.each_row import each_row

STOPS = [
    *(
        "STOP",
        "Stop.",
        "stop!!!",
        '"STOP"',
        "  stop\n",
        "STOP please",
        "Please stop",
        "STOP 🙏",
        "🛑",
    ),
    *(
        "stop stop stop",
        "S T O P",
        "S.T.O.P.",
        "\uff33\uff34\uff2f\uff30",
        "ok stop now thanks",
        "Opt-Out",
        "opt out",
    ),
    *("BAJA", "PARAR", "parar por favor", "¡Basta!", "darme de baja", "no más mensajes"),
    *("ARRÊT", "arrêter svp", "Désabonner", "me désabonner, merci", "sair", "Parar, obrigado"),
    *(
        "STOPP",
        "abmelden bitte",
        "disiscrivimi",
        "basta",
        "afmelden aub",
        "uitschrijven",
    ),
]
WISHES = [
    *("Don't text me again", "please do not contact me anymore", "stop messaging me"),
    *("Take me off your list.", "remove me from your mailing list please", "I want to unsubscribe"),
    *("I don't want to receive any more messages", "no more texts", "leave me alone"),
    *("Unsubscribe. Thanks, Carla", "Wrong person. Don't text here anymore", "UNSUBCRIBE", "sto"),
    *("I got a job, so please stop texting me", "how often must I tell you to stop texting me"),
    *(
        "STOP\n\nSent from my iPhone",
        "wrong number, please stop",
        "I withdraw my consent under GDPR",
    ),
    *(
        "Elimínenme de su base de datos",
        "Merci de ne plus me contacter",
        "Tirem meu número da lista",
    ),
    *("Nehmen Sie mich bitte aus dem Verteiler", "I moved, take my number out of ur system"),
    *("No me escriban más", "dejen de mandarme mensajes", "ya no quiero recibir mensajes"),
    *("Ne m'écrivez plus", "arrêtez de m'envoyer des messages", "je ne veux plus recevoir de sms"),
    *("não me mande mais mensagens", "não quero mais receber mensagens"),
    *("Schreiben Sie mir nicht mehr", "Bitte keine Nachrichten mehr", "lassen Sie mich in Ruhe"),
    *("non scrivetemi più", "non voglio più ricevere messaggi", "stuur mij geen berichten meer"),
]
IN_ANY_LANGUAGE = [
    *("STOPPP", "стоп!", "СТОП 🛑", "Отпишите меня", "відписатися", "إلغاء الاشتراك", "توقف"),
    *("बंद करो", "band karo please", "退订", "请退订", "TD", "配信停止お願いします", "수신거부"),
    *("hủy đăng ký", "huy dang ky", "διαγραφή", "ΔΙΑΓΡΑΦΗ παρακαλώ", "stamatiste", "dezabonare"),
    *("Odhlásit, prosím", "leiratkozás", "unreg", "afmeld tak", "wypisz mnie", "avregistrera mig"),
    *("不要再给我发短信了", "もう送らないでください", "문자 보내지 마세요", "لا تراسلني مرة أخرى"),
    *(
        "не пишите мне больше",
        "ne pishite mne bolshe",
        "nie piszcie do mnie",
        "mujhe message mat bhejo",
    ),
]
ORDINARY_WORDS = [
    *("Alto", "fin", "kündigen", "kuendigen", "Ende", "annuler", "annulla", "einde", "cancelar"),
    *("no más", "salir", "取消", "iptal", "конец", "koniec", "koniec"),
]
"""Words that may also be about a matter of business: alone they are a doubt, and a person decides."""
_TWO_WAYS = "i dont want " + "any more of these messages from you " * 4 + "xyz"
DOUBTS = [
    *("stop, what is this?", "wrong number stop?", "Stop! Who are you?", "стоп, кто это?"),
    *(
        "откуда у вас мой номер",
        "من أين حصلتم على رقمي؟",
        "你怎么有我的号码",
        "누가 제 번호 알려줬어요",
    ),
    *(
        "番号間違えてますよ",
        "sai số rồi bạn ơi",
        "mera number kahan se mila",
        "otkuda u vas moi nomer",
    ),
    *(
        "I will report you as spam",
        "under GDPR erase my data",
        "don't bother",
        "dajcie mi spokój już",
    ),
    "My sister says she could not unsubscribe",
    *("please don't text me at work, use my private number", "is this spam?"),
    *("don't call me, I'm at work", "no me llamen, estoy en clase"),
    *("who gave you my number", "no, thank you", "wrong number", "kein Interesse"),
    *("Hi, not interested, thanks", "No me interesa", "you never stop texting me"),
]
OTHERS = [
    *("Bitte nicht abmelden", "Never stop sending these!", "please don't cancel my order"),
    *(
        "subscribers",
        "I said the bus will stop",
        "not interested in the two-bed but in the one-bed",
    ),
    *(
        "",
        "👍",
        "Hi",
        "When can I start?",
        "I can start on Monday",
        "the end of the month suits me",
    ),
    *(
        "I will stop by at three",
        "the bus stop is near",
        "cancel my appointment on Friday",
        "si claro",
    ),
    *("can you help me with the form?", "my info is on the CV", "baja California", "don't stop"),
    *(
        "Ende des Monats",
        "fin de semana",
        "j'arrête mon travail vendredi",
        "no",
        "alles gut",
        "cancel my order",
        "which bus stop?",
    ),
    *("на какой остановке выходить?", "посылка не пришла", "别忘了发合同给我", "不要取消我的申请"),
    *("لا تنسوا إرسال العقد", "契約書を送るのを忘れないでください", "바스 정류장이 어디예요"),
    *("otmenite zakaz pozhaluista", "order cancel kar do please", "đừng quên gửi hợp đồng"),
    *("Don't take me off the list", "why did you stop texting me?", "No thanks, Tuesday is fine"),
    *("¿Para cuándo es la entrevista?", "parar en la estación", "send me more messages please"),
]


@each_row("text", STOPS + WISHES + IN_ANY_LANGUAGE)
def test_a_wish_to_stop(text):
    assert recognise(text).word == Word.STOP


@each_row("text", DOUBTS + ORDINARY_WORDS)
def test_a_message_in_doubt_belongs_to_a_person(text):
    assert recognise(text).word == Word.DOUBT


@each_row("text", OTHERS)
def test_any_other_message_says_nothing_about_it(text):
    assert recognise(text).word is None


@pytest.mark.parametrize(
    "text",
    ["START", "start please", "unstop", "You can text me again", "Alta", "reprendre", "starten"],
)
def test_a_wish_to_start_again(text):
    assert (recognise(text).word, recognise(text).is_yes) == (Word.START, False)


@pytest.mark.parametrize("text", ["yes", "Yes!", "sí", "Oui.", "sim", "ja bitte", "YES please 👍"])
def test_a_yes_is_one_only_from_somebody_who_said_stop(text):
    assert (recognise(text).word, recognise(text).is_yes) == (Word.START, True)


@pytest.mark.parametrize(
    "text", ["HELP", "help please", "Ayuda", "aide svp", "Hilfe!", "hulp", "info"]
)
def test_a_request_for_help(text):
    assert recognise(text).word == Word.HELP


@each_row("word", sorted(CARRIERS))
def test_the_carriers_own_keywords_are_known_as_such(word):
    assert recognise(f" {word.upper()}! ").is_carriers
    assert not recognise(f"{word} please").is_carriers


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("no more marketing please", Scope.MARKETING),
        ("Keine Werbung mehr", Scope.MARKETING),
        ("не присылайте рекламу", Scope.MARKETING),
        ("stop", Scope.ALL),
        ("no more texts", Scope.ALL),
    ],
)
def test_a_wish_about_advertising_says_so(text, scope):
    found = recognise(text)
    assert found.word in (Word.STOP, Word.DOUBT)
    assert found.scope == scope


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("STOP", HeardBy.CARRIERS_KEYWORD),
        ("abmelden", HeardBy.KEYWORD),
        ("don't text me again", HeardBy.PLAIN_WISH),
        ("I moved, please stop texting me", HeardBy.PLAIN_CLAUSE),
        ("not interested", HeardBy.REFUSAL),
        ("how did you get my number", HeardBy.POSSIBLE_WISH),
        ("yes", HeardBy.CARRIERS_KEYWORD),
        ("sí", HeardBy.YES),
        ("Don't call me before nine, I work nights", HeardBy.PREFERENCE),
        ("see you at nine", HeardBy.NOTHING),
    ],
)
def test_what_is_heard_has_its_reason(text, why):
    assert recognise(text).why == why


@given(st.text(max_size=300))
def test_no_text_is_too_strange_to_be_read(text):
    assert recognise(text).scope in Scope


@pytest.mark.parametrize(
    "text",
    [
        "\u200bST\u200dOP\u200b",
        "\u202eSTOP\u202c",
        "\u2067\u0625\u0644\u063a\u0627\u0621 \u0627\u0644\u0627\u0634\u062a\u0631\u0627\u0643\u2069",
        "\uff33\uff34\uff2f\uff30",
    ],
)
def test_invisible_signs_and_wide_letters_change_nothing(text):
    assert recognise(text).word == Word.STOP


_HOSTILE = (
    "не пишите " * 200,
    "मत भेजो " * 200,
    "不要再发" * 400,
    "nu mai scrie " * 150,
    "لا ترسل " * 150,
)


@pytest.mark.parametrize(
    "text",
    [*_HOSTILE, "stop " * 5000, "no " * 5000, "i dont want " * 2000, "a" * 200_000, _TWO_WAYS],
)
def test_a_long_message_is_read_in_bounded_time(text):
    recognise(text)


def test_the_shipped_model_is_made_from_these_samples():
    """Where it fails, `python -m bench.consent` makes it from them."""
    assert unwanted.shipped_model().made_from == consent.made_from()


@pytest.mark.parametrize(
    "text",
    [
        "I have asked you people three times now to lose my number",
        "ya les dije que no me escriban a este celular por favor",
        "ich habe doch gesagt, dass ich keine Nachrichten von Ihnen möchte",
    ],
)
def test_a_wish_in_a_wording_that_no_table_lists_is_for_a_person(text):
    assert recognise(text).word in (Word.DOUBT, Word.STOP)


@pytest.mark.parametrize(
    "text", ["Call me tomorrow at 5", "gracias", "¿cuánto cuesta?", "danke", ""]
)
def test_an_ordinary_reply_is_suspected_of_nothing(text):
    assert recognise(text).word is None


@pytest.mark.parametrize(
    "text",
    [
        "don't call or text me",
        "No me llamen ni me escriban",
        "Non chiamate e non scrivete mai più",
        "НЕ ЗВОНИТЕ И НЕ ПИШИТЕ",
        "nicht anrufen, nicht schreiben",
        "N'appelez pas et n'écrivez pas",
        "niet bellen of appen",
        "别打电话也别发短信",
        "ring ikke og skriv ikke",
        "Don't send them to me anymore",
        "You text me by mistake all the time, stop texting me",
    ],
)
def test_a_refusal_of_calls_and_texts_is_no_choice_between_them(text):
    assert recognise(text).word in (Word.STOP, Word.DOUBT)


@pytest.mark.parametrize(
    "text",
    [
        "Please don't call before 6, a text is better",
        "niet bellen tijdens het werk, een appje mag",
        "nie dzwońcie rano, lepiej sms",
        "上午别打电话,发信息吧",
        "I unsubscribed by accident",
        "No paren de buscarme un piso",
        "I can't do any more late shifts",
        "Je me suis désinscrit par erreur",
        "실수로 수신거부 했네요",
    ],
)
def test_a_choice_of_texts_and_a_slip_are_no_refusal(text):
    assert recognise(text).word is None
