# ruff: noqa: E501, SIM905 - a row of words reads best as one row
"""How much of a message an order-status question explains; pure.

An automatic answer needs all of it: greeting, question, number, thanks and what is said around them.
Each word must be one of a closed list, so that no wish, complaint or circumstance is passed over, in
whatever words.  The subject of the question may be named in up to three words of the customer's own
("where is my linen duvet"), and so may the people who greet and are greeted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chalicelib.support.intents.own_words import marked_words
from chalicelib.support.intents.phrases import of_intents
from chalicelib.support.intents.spelling import is_listed, words_of_table

_MAX_OWN_WORDS = 3
_MAX_NAME_WORDS = 3
_STATUS = frozenset({"order_status_tracking", "shipping_delay_not_shipped"})


def explained(own: str, intent: str = "order_status_tracking") -> float:
    """The share of a message's words that are explained, 0 to 1; 0 for a message without words.

    Args:
        own: the message without quoted history.
        intent: what it is about; the words of its own table are explained too.
    """
    more = frozenset[str]() if intent in _STATUS else words_of_table(intent)
    total = known = 0
    parts = [part for line in own.splitlines() for part in _SENTENCE.split(_signs_as_words(line))]
    sentences = [part for part in parts if part.strip()]
    for number, sentence in enumerate(sentences, start=1):
        words = marked_words(sentence)
        total += len(words)
        is_name = 1 < number == len(sentences) and _is_name(sentence, words)
        known += len(words) if is_name else _known(words, more)
    return known / total if total else 0.0


def is_only_courtesy(own: str) -> bool:
    """Thanks, a greeting, an agreement: nothing is asked and nothing is wrong."""
    words = marked_words(own)
    return bool(words) and all(word in _COURTESY for word in words)


def _known(words: Sequence[str], more: frozenset[str]) -> int:
    """How many words of a sentence are explained."""
    is_question = bool(words) and words[0] in _QUESTIONS
    is_question = is_question or any(found[0] in _STATUS for found in of_intents().matches(words))
    taken = [word in _WORDS or word in more for word in words]
    for at, word in enumerate(words):
        if taken[at]:
            continue
        if at and words[at - 1] in _CALLS and not is_listed(word) and word not in _WORDS:
            _take(taken, words, at, _MAX_NAME_WORDS)
        elif is_question and at and _names_a_thing(words, taken, at):
            _take(taken, words, at, _MAX_OWN_WORDS)
    return sum(taken)


def _names_a_thing(words: Sequence[str], taken: Sequence[bool], at: int) -> bool:
    """A run of words of the customer's own begins here, after "my" or "the"."""
    if words[at - 1] not in _DETERMINERS or is_listed(words[at]):
        return False
    return sum(not one for one in taken) <= _MAX_OWN_WORDS


def _take(taken: list[bool], words: Sequence[str], at: int, most: int) -> None:
    for number in range(at, min(at + most, len(words))):
        if taken[number] or is_listed(words[number]):
            return
        taken[number] = True


def _is_name(sentence: str, words: Sequence[str]) -> bool:
    """A last line that is nothing but a name: capitalised words that no table lists."""
    shown = sentence.split()
    return (
        0 < len(words) <= _MAX_NAME_WORDS
        and all(one[:1].isupper() for one in shown)
        and not any(is_listed(word) for word in words)
    )


def _signs_as_words(sentence: str) -> str:
    """Signs of anger or worry are words that nothing explains; an address says who writes."""
    return _ANGRY.sub(" unexplained ", _ADDRESS.sub(" email ", sentence))


_SENTENCE = re.compile(r"[.!?;\u00bf\u00a1]+(?:\s|$)|\s[-\u2013\u2014]+\s|,")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}")
_ANGRY = re.compile(
    "[\U0001f620\U0001f621\U0001f624\U0001f92c\U0001f595\U0001f494\U0001f62d\U0001f912\U0001f915\U0001f691\U0001f525\U0001f480\U0001fa78\U00002620]"
)
_QUESTIONS = frozenset({"where", "wheres", "when", "donde", "cuando"})
_DETERMINERS = frozenset(
    {
        "my",
        "the",
        "our",
        "those",
        "these",
        "this",
        "mi",
        "mis",
        "el",
        "la",
        "los",
        "las",
        "some",
        "of",
        "for",
        "de",
        "un",
        "una",
        "a",
        "an",
    }
)
_CALLS = frozenset(
    {
        "hi",
        "hello",
        "hey",
        "dear",
        "im",
        "am",
        "hola",
        "regards",
        "thanks",
        "gracias",
        "soy",
        "saludos",
        "name",
        "nombre",
        "llamo",
        "estimado",
        "estimada",
        "estimados",
        "cheers",
        "sincerely",
        "thx",
        "ty",
        "love",
        "atentamente",
        "best",
        "morning",
        "afternoon",
        "evening",
    }
)
_COURTESY = frozenset(
    "hi hello hey hiya good morning afternoon evening day dear team all there thanks thank you thankyou thx ty tysm cheers"
    " much so very many a lot in advance please pls plz kindly regards best kind warm warmest wishes sincerely yours have nice great"
    " lovely weekend week day bye ok okay cool perfect appreciate appreciated it your help time that for the hope well are is sorry to"
    " bother trouble no worries rush problem again"
    " hola buenas buenos dias tardes noches buen dia tarde noche gracias muchas mil de antemano por favor porfa porfavor saludos cordial cordiales un saludo"
    " atentamente estimados estimado estimada equipo su tu la ayuda atencion amable amables vale perfecto feliz que tal tengan tenga lindo linda bonito bonita dia".split()
)
_WORDS = _COURTESY | frozenset(
    # what is asked
    "where wheres wher when whens what whats which how why status update updates track tracking tracked trackin eta news info information"
    " order orders ordered package packages parcel parcels shipment shipments shipping ship ships shipped delivery deliveries deliver delivering box item items purchase"
    " purchased bought placed stuff thing things arrive arrives arrived arriving arrival come comes coming came get gets got getting receive receives receiving"
    " here there door expect expected expecting estimated estimate date dates day days week weeks weekend month time times soon long until till before by"
    " number numbers no num id code link links details confirmation reference ref email mail page follow following check checking checked look looking up see find know"
    " tell let me give send sent share provide lookup wondering wonder curious question quick"
    # around it
    " i im ive id we weve were my mine our us you your yours u ur the a an this that these those it its is isnt are was be been being am do does did done has have had havent hasnt"
    " having can could would will wont should might may of in on at for from to with about regarding re concerning and but if so as just still yet now"
    " already already also any anything some one ones not never nothing only really maybe roughly around approximately approx exactly current currently latest last next past since ago"
    " today tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun"
    " january february march april june july august september october november december jan feb mar apr jun jul aug sept sep oct nov dec th st nd rd"
    " <n> <age> one two three four five six seven eight nine ten oh zero oct first second couple few"
    " like want wanted need wish trying try able please possible say says said showing shows supposed moving move out way its on left go going gone process processing yet"
    " placed made under name online website site store shop your idea clue chance happening happened whereabouts hear heard back seen"
    " waiting waited wait while hoping hope guys folks somebody someone anyone anybody support customer service who whom may concern um uh er yeah yes so ok well lol pretty thats heres theres lil bit quickly"
    " sir madam maam gift birthday christmas arrive bday present mom mums moms dads sisters wifes"
    # Spanish
    " donde cuando que cual como cuanto cuanta cuantos estado estatus status rastreo rastrear rastreando seguimiento guia numero num no codigo enlace link informacion info novedad novedades noticias"
    " pedido pedidos orden ordenes paquete paquetes compra compras envio envios entrega entregas entregan entregar articulo articulos producto productos caja cosas pedi compre ordene hice realice"
    " llega llegan llegara llegaran llego llegar llegue llegando llegado viene vienen recibo recibire recibir recibido recibi recibiendo sale salio salido enviado enviada enviaron envian mandan mandaron mandado entregaran"
    " espera esperando espero esperar fecha fechas hora horas dia dias semana semanas mes hoy ayer manana lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    " el la los las lo le les un una unos unas mi mis me nos nuestro nuestra tu tus su sus se te de del en por para con a al y o e pero si ya aun todavia es esta estan estoy este esto ese eso esa fue ha han he hay va van voy sea ser estar hasta desde hace"
    " quiero quisiera queria gustaria necesito puedo puede pueden podria podrian podrias puedes saber ver conocer consultar preguntar decir decirme dime diganme indicar indicarme informar informarme pasar pasarme dar darme den dan mandar mandarme mandas enviar enviarme envien ayudar ayudarme ayuden revisar checar confirmar confirmarme"
    " tienen tiene tengo tienes alguna alguno algun algo ninguna ningun nada mas menos solo aproximado aproximada aproximadamente estimado estimada cerca camino sobre acerca respecto cuanto tiempo tarda tardan tardara demora falta faltan para ahora mismo pronto actual"
    " numero es che oigan oye disculpe disculpen disculpa perdon senores senor senora buenas tal cosa duda pregunta consulta rapida regalo cumpleanos cumple".split()
)
