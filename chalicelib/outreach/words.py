"""What a recipient says about being contacted: STOP, START and HELP in seven languages; pure.

A keyword is a whole message, whatever its case, accents, punctuation, emoji and courtesies.  A plain
wish ("don't text me again") counts as STOP.  A message that may be one, or may be about something
else, is in doubt and belongs to a person.  English, Spanish, French, Portuguese, German, Italian and
Dutch; the languages are not distinguished, as a keyword of one is no word of another.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum


class Word(StrEnum):
    """What was said."""

    STOP = "stop"
    START = "start"
    HELP = "help"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as understood.

    Attributes:
        word: None where it says nothing about being contacted.
        language: of a HELP in a language other than English, e.g. ``es``.
        is_carriers: a keyword that Twilio answers itself, if its own handling is on.
        is_yes: START by a word that means "yes" as well, so only from somebody who has said STOP.
    """

    word: Word | None = None
    language: str | None = None
    is_carriers: bool = False
    is_yes: bool = False


CARRIERS = {
    **dict.fromkeys(
        ("stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"), Word.STOP
    ),
    **dict.fromkeys(("start", "yes", "unstop"), Word.START),
    **dict.fromkeys(("help", "info"), Word.HELP),
}
"""Twilio's default keywords (https://help.twilio.com/articles/223134027)."""


def _words(text: str) -> frozenset[str]:
    return frozenset(one.strip() for one in text.split(","))


_STOP = _words("""\
stop, stopall, stop all, unsubscribe, cancel, end, quit, revoke, optout, opt out, remove me, stop it,
stop texting, stop messaging, stop messages, unsubscribe me, opt me out,
alto, parar, para, pare, paren, detener, detente, baja, darme de baja, dar de baja, darse de baja,
cancelar, basta, salir, no mas, no mas mensajes, desuscribir, desuscribirme, cancelar suscripcion,
arret, arrete, arreter, arretez, stoppez, desabonner, desabonnement, me desabonner, desinscrire,
desinscription, me desinscrire, resilier, annuler, fin, assez,
sair, remover, descadastrar, cancelar inscricao, me remova, pare de enviar, chega,
stopp, stoppen, halt, abmelden, abmeldung, abbestellen, abbestellung, kundigen, kuendigen, austragen,
beenden, ende, schluss, aufhoren, aufhoeren, widerruf, widerrufen,
ferma, fermare, fermati, annulla, cancella, cancellami, disiscrivi, disiscrivimi, disiscrizione,
smetti, smettila, rimuovimi,
afmelden, uitschrijven, annuleren, opzeggen, einde, ophouden, schrijf me uit, meld me af""")
_START = _words("""\
start, unstop, subscribe, resume, opt in, optin, inicio, iniciar, empezar, comenzar, alta, reanudar,
demarrer, commencer, reprendre, comecar, retomar, starten, anfangen, anmelden, inizia, avvia,
beginnen, aanmelden""")
_YES = _words("yes, y, si, oui, sim, ja, yes start")
_HELP = {
    **dict.fromkeys(("help", "info", "infos"), None),
    **dict.fromkeys(("ayuda", "informacion"), "es"),
    "aide": "fr",
    **dict.fromkeys(("ajuda", "informacao"), "pt"),
    "hilfe": "de",
    **dict.fromkeys(("aiuto", "informazioni"), "it"),
    **dict.fromkeys(("hulp", "informatie"), "nl"),
}
"""With their language, where it is not English or several have it."""
_COURTESY = _words("""\
please, pls, plz, thanks, thx, thank you, thank you very much, many thanks, por favor, porfavor,
porfa, gracias, muchas gracias, s il vous plait, s il te plait, svp, stp, merci, merci beaucoup,
por gentileza, obrigado, obrigada, bitte, danke, vielen dank, per favore, per piacere, grazie,
alstublieft, alsjeblieft, aub, ajb, dank je, dank u, bedankt, now, right now, immediately, just, ok,
okay, hi, hello, hey, hola, bonjour, ola, hallo, ciao, ahora, ya, maintenant, agora, jetzt, sofort,
adesso, subito, nu, sorry, sir, madam, enough, lo siento, desole, mi dispiace""")
_SIGNS = {"\N{OCTAGONAL SIGN}": " stop ", "\N{NO ENTRY}": " stop "}
_MARKS = re.compile(r"[^\w]+|_+")
_SPELT = re.compile(r"(?:\b\w\b ?){4,}")
_COURTESIES = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, _COURTESY), key=len, reverse=True)) + r")\b"
)
_AGAIN = re.compile(r"\b(\w+)(?: \1)+\b")

_SENDING = (
    "text|texting|txt|message|messaging|messages|msg|contact|contacting|email|emailing|mail|mailing"
    "|write|writing|call|calling|send|sending|bother|bothering|spam|spamming|sms|whatsapp|reach out"
)
_THINGS = "(?:text|txt|message|msg|email|mail|sm|communication|notification|update|offer|ad|advert|spam)s?"
_TAIL = (
    r"(?: (?:to me|me|us|this number|here|anymore|any more|any longer|again|ever|ever again|at all"
    r"|from now on|more|these|those|any|your|with|by|about this|on this number|sms|for good|forever"
    rf"|{_THINGS}))*"
)
_PLAIN = tuple(
    re.compile(one)
    for one in (
        # English
        (
            rf"(?:i said |i asked you to |can you |could you |would you |will you )?"
            rf"(?:do not|dont|don t|never|stop|quit|cease)(?: ever)? (?:{_SENDING}){_TAIL}"
        ),
        (
            r"(?:can you |could you )?(?:take|remove|delete|drop|get) (?:me|my number|my name|this number"
            r"|my details|my email)(?: off| from| out of)?(?: of)?(?: (?:your|the|this|all|any))*"
            r"(?: (?:mailing|contact|email|marketing|sms|text))?(?: (?:list|lists|database|system|records))?"
        ),
        (
            r"(?:i (?:want|wish|would like|d like|need|like) to |how (?:do|can) i |let me )?"
            r"(?:unsubscribe|opt out|be removed|be taken off)(?: me)?(?: (?:from|of)(?: \w+){1,4})?"
        ),
        (
            rf"i (?:do not|dont|don t|no longer) (?:want|wish|need|care)(?: for)?(?: to)?"
            rf"(?: (?:receive|get|hear|be contacted|be texted))?(?: from you| any| more|{_TAIL})*"
        ),
        rf"no more (?:of )?(?:these |your )?{_THINGS}(?: please)?",
        r"(?:just )?leave me alone",
        r"lose my number",
        r"not interested stop(?: \w+){0,2}",
        rf"(?:wrong number )?stop(?: {_THINGS}| all(?: {_THINGS})?| these(?: {_THINGS})?| this)",
        # Spanish
        (
            r"(?:no|nunca|dejen?|deja|dejad|pare|paren|para) (?:de )?(?:me )?(?:vuelva[ns]? a )?"
            r"(?:escrib|contact|mand|envi|mensaj|llam|molest|texte)\w*(?: (?:mas|nunca|ya|mensajes|sms"
            r"|correos|textos|a este numero|mas mensajes))*"
        ),
        (
            r"(?:ya )?no (?:quiero|deseo)(?: (?:recibir|mas|sus|tus|estos|mensajes|sms|correos|que me"
            r"|escriban|contacten|nada|de ustedes))+"
        ),
        r"(?:quiero |quisiera |deseo )?(?:darme|dar|denme|deme|dame) de baja(?: de (?:la |esta )?lista)?",
        r"(?:borren?|quiten?|elimin\w+|saquen?)(?:me)? (?:mi numero|de (?:la|su|esta) lista)",
        r"dej(?:en|a|e)me en paz",
        # French
        (
            r"(?:ne|n) (?:m|me) (?:\w+ )?(?:contact|ecri|envo|appel|derang|texto|importun)\w*"
            r"(?: (?:plus|jamais|pas|de|des|messages|sms|rien|mails))*"
        ),
        (
            r"(?:arretez|arrete|cessez|stop)(?: de| d)? (?:m |me )?(?:contact|ecri|envo|appel|derang|harcel)"
            r"\w*(?: (?:des|de|ces|vos|messages|sms|mails))*"
        ),
        (
            r"(?:je )?(?:ne )?(?:veux|souhaite|desire) (?:plus|pas)(?: (?:recevoir|etre|contacte|de|des|vos"
            r"|ces|messages|sms|mails|rien))+"
        ),
        r"(?:je (?:veux|souhaite|voudrais) )?(?:me |m )?(?:desabonn|desinscri)\w+(?: moi)?",
        r"plus de (?:messages|sms|mails|textos)",
        r"laissez moi tranquille",
        r"(?:retirez|supprimez|enlevez)(?: moi| mon numero)(?: de (?:votre|la) liste)?",
        # Portuguese
        (
            r"(?:nao|pare|parem|pode parar|chega)(?: de)? (?:me )?(?:contat|contact|envi|mand|escrev|lig"
            r"|pertub|perturb|incomod)\w*(?: (?:mais|nunca|nada|mensagens|mensagem|sms|emails|me))*"
        ),
        (
            r"(?:eu )?nao (?:quero|desejo)(?: (?:mais|receber|ser|contatado|contatada|suas|essas|mensagens"
            r"|sms|emails|nada))+"
        ),
        (
            r"(?:me )?(?:tire|tira|remova|retire|exclua|descadastr\w+)(?: me| meu numero)?"
            r"(?: d(?:a|e|essa|esta)(?: sua)? lista)?"
        ),
        r"me deix(?:e|a|em) em paz",
        # German
        (
            r"(?:schreib|schick|send|kontaktier|ruf|text|simst)\w*(?: sie| ihr)?(?: mir| mich| uns)"
            r"(?: bitte)?(?: (?:nicht|nie|keine|nichts|mehr|wieder|an|nachrichten|sms|mails|werbung))+"
        ),
        (
            r"(?:ich )?(?:mochte|moechte|will|wunsche)(?: (?:ich|keine|nicht|nichts|mehr|von ihnen"
            r"|nachrichten"
            r"|sms|mails|werbung|kontaktiert|werden|bekommen|erhalten|horen))+"
        ),
        r"(?:bitte )?keine (?:weiteren )?(?:nachrichten|sms|mails|werbung|texte)(?: mehr)?(?: senden)?",
        r"(?:ich (?:mochte|moechte|will) )?mich (?:bitte )?(?:abmelden|austragen|abbestellen)",
        r"melde?n? (?:sie )?mich(?: bitte)? ab",
        r"lass(?:t|en sie)? mich(?: bitte)? in ruhe",
        (
            r"(?:losch|loesch|streich|entfern)\w*(?: sie)? (?:mich|meine nummer)(?: (?:aus|von) (?:der|ihrer)"
            r" liste)?"
        ),
        (
            r"(?:horen|hor|hoeren|hort)(?: sie)? auf(?: (?:mir|mich|zu|schreiben|kontaktieren|nachrichten"
            r"|sms|senden|schicken))*"
        ),
        # Italian
        (
            r"(?:non|smett\w+ di|basta)(?: (?:mi|piu))* (?:scriv|contatt|mand|invi|chiam|disturb)\w*"
            r"(?: (?:piu|mai|messaggi|sms|mail|niente))*"
        ),
        (
            r"non (?:voglio|desidero)(?: (?:piu|ricevere|essere|contattato|contattata|messaggi|sms|mail"
            r"|i|vostri|niente))+"
        ),
        r"(?:toglietemi|cancellatemi|rimuovetemi|toglimi|disiscrivetemi)(?: dalla(?: vostra)? lista)?",
        r"lasciatemi in pace",
        r"basta (?:messaggi|sms|mail)",
        # Dutch
        (
            r"(?:stop|hou(?:d)? op)(?: met| om)?(?: (?:mij|me|te))* (?:appen|bericht|sms|bellen|mail|contact"
            r"|sturen|stuur)\w*(?: (?:te|sturen|aan|mij|me))*"
        ),
        (
            r"(?:stuur|bel|app|sms|mail|contacteer|bericht|benader)(?: (?:mij|me|ons))"
            r"(?: (?:niet|geen|nooit|meer|berichten|sms|mails|weer))+"
        ),
        (
            r"(?:ik )?wil(?: ik)?(?: (?:geen|niet|niets|meer|berichten|sms|mails|ontvangen|krijgen|van jullie"
            r"|van u|gecontacteerd|worden))+"
        ),
        r"geen (?:berichten|sms|mails|reclame)(?: meer)?",
        r"laat (?:mij|me) met rust",
        r"(?:haal|verwijder|schrijf|meld) (?:mij|me|mijn nummer)(?: (?:van|uit|af|de|deze|jullie|lijst))+",
    )
)
"""Whole messages, after `_plain_text`, that wish no further message and say nothing else."""
_NEGATED = re.compile(
    r"\b(?:do not|dont|don t|never|didnt|didn t|not) (?:stop|unsubscribe|opt(?:ing)? (?:me )?out|remove"
    r"|cancel|end)\b|\bnicht (?:abmelden|stoppen|aufhoren)\b|\bno (?:paren|pares|me den de baja)\b"
)
_DOUBT = re.compile(
    r"\b(?:unsubscribe\w*|opt(?:ing)? (?:me )?out|optout|stop all|stop (?:texting|messaging|contacting"
    r"|emailing|writing|calling|sending|bothering|spamming|the (?:texts|messages|emails))"
    rf"|(?:do not|dont|don t|never) (?:{_SENDING})"
    r"|(?:off|from) (?:your|the|this) (?:mailing |contact )?list|leave me alone|spam\w*|harass\w*"
    r"|no more (?:texts|messages|emails)|lose my number|delete my (?:number|data|details)"
    r"|no longer (?:want|wish|interested)|who gave you my (?:number|email)"
    r"|de baja|no me (?:escrib|contact|mand|envi|llam)\w*|dej\w+ de (?:escrib|mand|envi|llam|molest)\w*"
    r"|desabonn\w+|desinscri\w+|ne m \w+ plus|arretez de|ne me \w+ plus"
    r"|descadastr\w+|pare de|parem de|nao me (?:mand|envi|lig|contat)\w*"
    r"|abmeld\w+|abbestell\w+|keine (?:nachrichten|sms|mails|werbung)|in ruhe|horen sie auf"
    r"|disiscri\w+|non mi (?:scriv|contatt|mand|invi|chiam)\w*|smett\w+ di"
    r"|afmelden|uitschrijven|geen (?:berichten|sms|mails)|met rust)\b"
)
_SHORT = 3
"""Words of "don't stop", which asks for nothing."""
_MOST_CHARACTERS = 1000
"""Of a longer message only so much is looked at; a longer one is no STOP, or quotes a text."""


def heard(text: str) -> Heard:
    """What a message says about being contacted."""
    raw = " ".join(text.strip().lower().split()).strip(" .!\"'")
    said = _plain_text(text[:_MOST_CHARACTERS])
    if raw in CARRIERS:
        return Heard(CARRIERS[raw], is_carriers=True, is_yes=raw in _YES)
    for words, word in ((_STOP, Word.STOP), (_START, Word.START)):
        if said in words:
            return Heard(word)
    if said in _HELP:
        return Heard(Word.HELP, language=_HELP[said])
    if said in _YES:
        return Heard(Word.START, is_yes=True)
    if _NEGATED.search(said):
        return Heard(Word.DOUBT if len(said.split()) > _SHORT else None)
    if any(one.fullmatch(said) for one in _PLAIN):
        return Heard(Word.STOP)
    return Heard(Word.DOUBT if _DOUBT.search(said) else None)


def _plain_text(text: str) -> str:
    """Lower case without accents, marks, emoji and courtesies; a word repeated is one."""
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(one for one in apart if not unicodedata.combining(one))
    words = _MARKS.sub(" ", bare).strip()
    words = _SPELT.sub(lambda found: found[0].replace(" ", "") + " ", words).strip()
    kept = " ".join(_COURTESIES.sub(" ", words).split())
    return _AGAIN.sub(r"\1", kept or words)
