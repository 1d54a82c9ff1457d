"""Statements that a writing machine may not make by itself: promises, acts, states of orders.

Each kind is a table of stems in seven languages.  A statement counts where its clause is not
negated, and its sentence is no question, condition or deferral to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from chalicelib.outreach.writing.checks.text import clause_before, content, folded, sentences
from chalicelib.outreach.writing.checks.written_language import spoken

_PROMISES: Mapping[str, str] = {
    "guarantee": r"\b(?:te|le|les) aseguro|\bversicher\w* (?:ihnen|dir)|\bvous assure"
    r"|\bassicuro|\bgaranto\b|\bverzeker\w*|\bi (?:can )?assure\b|\brest assured"
    r"|\bguarante\w*|\bwarrant(?:y|ies|ed)\b|\bgarant\w*|\bi promise\b|\bwe promise\b"
    r"|\bte prometo"
    r"|\bprometemos|\bversprech\w+|\bversprochen|\bje (?:vous )?promets|\bprometo"
    r"|\bprometti\w*|\bbeloof\w*"
    r"|\blegally binding|\brechtsverbindlich|\bvinculante|\bjuridiquement contraignant"
    r"|\b100 ?% (?:sure|sicher|seguro)"
    r"|\bwithout (?:a |any )?doubt|\bdefinitely (?:get|be|have)|\byou will (?:definitely"
    r"|certainly)\b",
    "free": r"\bfree of charge|\bfor free\b|\b(?:is|ships?|comes?|get|totally|completely"
    r"|entirely) free\b|(?<!you )\bare free\b"
    r"|\b(?:we'll|we will|i'll|i will) (?:throw in|cover|gift|treat)\b"
    r"|\b(?:don't|do not|won't) (?:have|need) to pay\b|\bno tienes? que pagar"
    r"|\b(?:te|le|os) regal\w+|\bschenk\w*|\bnichts (?:zu )?(?:be)?zahlen"
    r"|\b(?:je|nous) (?:vous |t'|te )?offr(?:e|ons)\b|\brien a payer|\bniets (?:te )?betalen"
    r"|\bnao precisa pagar|\bnon deve pagare"
    r"|\bfree (?:shipping|delivery|month|week|year|gift|upgrade|parking|trial|replacement"
    r"|of)\b|\bon the house\b"
    r"|\bcomplimentary\b|\bat no (?:extra |additional )?(?:cost|charge)|\bno charge\b"
    r"|\bgratis\b|\bgratuit\w*"
    r"|\bkostenlos\w*|\bkostenfrei\w*|\bumsonst\b|\bde graca\b|\bsin coste\b|\bsin costo\b"
    r"|\bsenza costi\b"
    r"|\bnothing to pay|\bwithout paying|\bwe waive|\bfee (?:is )?waived|\bowe (?:us )?nothing",
    "lifetime": r"\blifetime\b|\blifelong\b|\bforever\b|\bde por vida\b|\bpara siempre\b|\blebenslang\w*"
    r"|\ba vie\b|\bvitalici[oa]\b"
    r"|\bpara sempre\b|\ba vita\b|\bper sempre\b|\blevenslang\w*|\bunlimited\b|\bilimitad[oa]"
    r"|\bunbegrenzt|\billimite\w*",
    "discount": r"\bdiscount\w*|\brebate\b|\bvoucher\b|\bcoupon\b|\bprice cut|\bdescuento\w*|\brebaja\w*"
    r"|\brabatt\w*"
    r"|\bgutschein\w*|\bnachlass\b|\bremise\b|\breduction\b|\bdesconto\w*|\bsconto\b"
    r"|\bkorting\b|\bcupon\b",
    "refund": r"\brefund\w*|\breimburs\w*|\bmoney back|\bget(?:ting)? (?:\w+ ){0,3}back\b(?= to you)?"
    r"|\breembols\w*"
    r"|\bdevolver\w* (?:el|tu|su) dinero|\bdevuelto (?:el|tu|su) dinero"
    r"|\bdevolucion de(?:l)? (?:tu |su )?dinero"
    r"|\berstatt\w*|\bzuruckerstatt\w*|\bgeld zuruck|\brembours\w*|\brimbors\w*|\bterugbeta\w*"
    r"|\bterugbetaald|\bgeld terug"
    r"|\bestorno\b|\bcompensat\w+|\bentschadig\w*|\bindemni\w+",
    "replacement": r"\breplacement\b|\bsend you (?:a |an |another )?(?:new|another)|\bersatz\w*|\breemplaz\w*"
    r"|\bremplacee?s?\b|\bremplacement\b|\bsubstitu\w+|\bsostitu\w+|\bvervang\w*"
    r"|\bte (?:enviamos|mandamos) (?:otro|uno nuevo)",
    "job": r"\bhired?\b|\bgot the (?:job|position|role)|\b(?:job|position|role|place) is yours"
    r"|\bwelcome to the team"
    r"|\bwelcome aboard|\boffer you (?:the|a|this) (?:job|position|role|contract)|\byou(?:'ve"
    r"| have)? (?:been |are |were )?(?:selected|chosen)"
    r"|\bcontratad[oa]s?\b|\b(?:ha sido|has sido|fuiste|estas|quedas) (?:seleccionad|elegid"
    r"|aceptad|admitid)\w*|\bel puesto es tuyo"
    r"|\b(?:trabajo|puesto|empleo) es tuyo|\bbienvenid[oa] al equipo|\beingestellt\b|\b(?:stelle|job) (?:gehort|ist) (?:ihnen|dir"
    r"|ihre|deine)|\bausgewahlt\b"
    r"|\bwillkommen im team|\bembauche\w*|\bvous avez ete (?:retenu|selectionne|choisi)\w*"
    r"|\bbienvenue dans l'equipe"
    r"|\bassunt[oa]\b|\bselecionad[oa]|\bselezionat[oa]|\ba vaga e sua|\bil posto e (?:tuo"
    r"|suo)|\baangenomen\b|\bje hebt de baan"
    r"|\byou(?:'ve| have)? (?:get|got|passed|won)\b(?! it| that| the (?:message|idea|point"
    r"|details)| any| a (?:question|moment|minute))",
    "approval": r"\b(?:was|is|were|been) successful\b|\bapproved?\b(?! by)|\bgranted\b|\baccepted\b|\beligible\b|\bqualif(?:y|ied) for\b"
    r"|\baprobad[oa]s?\b|\bconcedid[oa]"
    r"|\baceptad[oa]s?\b|\bgenehmigt\b|\bbewilligt\b|\bzugesagt\b|\bapprouvee?s?\b"
    r"|\baccordee?s?\b|\baprovad[oa]s?\b|\bapprovat[oa]"
    r"|\baccettat[oa]|\bgoedgekeurd|\btoegekend|\bwe(?:'ll| will) (?:approve|accept|grant)"
    r"|\bdecided to\b|\bentschieden\b"
    r"|\bha(?:n)? decidido|\ba decide\b|\bhave decided",
    "booking": r"\b(?:i|we|hereby) confirm\b|\bbestatige\b|\bconfirmo\b|\bconfermo\b"
    r"|\bje (?:vous )?confirme\b|\bik bevestig\b|\bit(?:'s| is) (?:\w+ )?safe to\b"
    r"|\b(?:has|have|been|was|'ve) (?:been )?moved\b|\bput you (?:down|in)\b"
    r"|\bbooked\b|\breserved\b|\bconfirmed\b|\brescheduled\b|\bmoved your\b|\bsigned you up"
    r"|\benrol?led\b|\breservad[oa]s?\b"
    r"|\bconfirmad[oa]s?\b|\binscrit[oa]s?\b|\bapuntad[oa]s?\b|\breprogramad[oa]|\bgebucht\b"
    r"|\breserviert\b|\bbestatigt\b"
    r"|\bangemeldet\b|\bverschoben\b|\breservee?s?\b|\bconfirmee?s?\b|\bagendad[oa]"
    r"|\bmarcad[oa]s?\b|\bprenotat[oa]"
    r"|\bconfermat[oa]|\bgeboekt\b|\bgereserveerd|\bbevestigd\b|\bverplaatst\b",
    "ending": r"\bcancell?ed\b|\bterminated\b|\bdeleted\b|\bclosed your|\bactivated\b|\bupgraded\b"
    r"|\bextended\b|\bwaived\b|\bcancelad[oa]s?\b"
    r"|\bcancelado\b|\banulad[oa]s?\b|\bdad[oa] de baja|\beliminad[oa]|\bactivad[oa]"
    r"|\bstorniert\b|\bgekundigt\b|\bgeloscht\b"
    r"|\bannulee?s?\b|\bresiliee?s?\b|\bsupprimee?s?\b|\bcancelamos\b|\bannullat[oa]"
    r"|\bcancellat[oa]|\bgeannuleerd|\bopgezegd\b|\bverwijderd\b",
    "payment": r"\bwired\b|\bcredited\b|\btransferred\b|\b(?:has|have|was|were|been|already) (?:been )?paid\b"
    r"|\bpaid out\b|\bpayment (?:has|was)|\bwe(?:'ve| have)? paid"
    r"|\babonad[oa]\b|\btransferid[oa]|\bpagad[oa]\b|\bingresad[oa]\b|\buberwiesen\b"
    r"|\bbezahlt\b|\bausgezahlt|\bgutgeschrieben|\bviree?s?\b"
    r"|\bversee?s?\b|\btransferimos|\bpagat[oa]\b|\bversat[oa]|\bovergemaakt|\bbetaald\b"
    r"|\bhemos devuelto|\bhan devuelto|\bte devolvemos",
}
_ORDERS: Mapping[str, str] = {
    "sent": r"\bshipped\b|\bdispatched\b|\bon (?:its|the|their) way\b(?! to work| home| now to)"
    r"|\bin transit\b|\bout for delivery"
    r"|\bleft (?:our|the) (?:warehouse|store|depot)|\bhas (?:been )?sent\b|\bwas sent\b"
    r"|\benviad[oa]s?\b|\ben camino\b|\ben reparto\b|\bdespachad[oa]"
    r"|\bsalido de\b|\bversandt\b|\bversendet\b|\bverschickt\b|\bunterwegs\b|\babgeschickt"
    r"|\bexpediee?s?\b|\benvoyee?s?\b|\ben route\b"
    r"|\ba caminho\b|\bdespachad[oa]|\bspedit[oa]|\bin viaggio\b|\bverzonden\b|\bverstuurd\b"
    r"|\bonderweg\b",
    "delivered": r"\bdelivered\b(?! (?:with)?in)|\barrived\b|\bentregad[oa]s?\b|\bllegado\b|\bzugestellt\b"
    r"|\bgeliefert\b|\bangekommen\b"
    r"|\blivree?s?\b|\bentregue\b|\bchegou\b|\bconsegnat[oa]|\bbezorgd\b|\bgeleverd\b"
    r"|\bpicked up\b|\bready for (?:pick|collection)",
}
_EVIDENCE: Mapping[str, str] = {
    "free": r"|\bfree\b|\b(?:without|no) (?:a )?(?:fee|charge)|\bohne gebuhr|\bsin cargo|\bsans frais",
    "sent": "|shipped|dispatch|transit|sent|fulfilled|on_the_way",
    "delivered": "|delivered|arrived|received",
    "payment": "|paid|payment",
    "booking": "|booked|confirmed|scheduled|reserved",
    "approval": "|approved|accepted|granted|won",
    "ending": "|cancel",
    "job": "|hired|offer",
}
_FROM_KNOWLEDGE = frozenset({"guarantee", "lifetime", "free", "discount", "refund", "replacement"})
"""Kinds that a rule of the company can state, about the same thing; others are acts in one case."""
_NEGATED = re.compile(
    r"\b(?:not|no|never|nothing|cannot|can't|n't|without|unable|neither|nor|nunca|sin|ni"
    r"|tampoco|nicht|kein\w*|nie"
    r"|niemals|noch nichts|ne|pas|aucun\w*|jamais|sans|nao|nem|sem|non|mai|senza|niet|geen"
    r"|nooit)\b|n't\b"
)
_NEGATED_AFTER = re.compile(
    r"^\W*(?:ist |wird |kann ich |konnen wir |ich |wir )*(?:noch )?(?:nicht|nichts|kein\w*|pas|niet|geen|nog niet)\b"
)
_OPEN = re.compile(
    r"\b(?:if|whether|once|when|before|after|until|as soon as|unless|would|could|might|may"
    r"|can be|let me|ask(?:ed)?"
    r"|check|request|wish|glad to hear|sorry (?:that|to hear)|siento (?:mucho )?que|lamento que|leid,? dass"
    r"|desolee? que|dispiace che|sinto (?:muito )?que|jammer dat|you (?:mentioned|said|wrote"
    r"|told)|thank(?:s| you) for|hope|decide on|congratulations on"
    r"|in case|question|si\b|cuando|pregunt\w*|podria\w*|puede[ns]? ser|puedes devolver|pueden"
    r"|se lo paso|solicitud|wenn|falls|ob|sobald|frage|fragt|konnte\w*"
    r"|konnen \w+ werden|weiter|wurde gern\w*|quand|demande\w*|pourrai\w*|peuvent|des que"
    r"|quando|pergunt\w*|poderia\w*"
    r"|podem|se |chied\w*|potrebb\w*|possono|appena|als|wanneer|vraag\w*|zou\w*|kunnen|zodra"
    r"|of dat)\b"
)
_QUESTION = re.compile(r"\?\s*\W*$")
_PATTERNS = {name: re.compile(one) for name, one in {**_PROMISES, **_ORDERS}.items()}
_IN_DATA = {
    name: re.compile(one + _EVIDENCE.get(name, ""))
    for name, one in {**_PROMISES, **_ORDERS}.items()
}
_RULE_OF = {
    **dict.fromkeys(_PROMISES, "promise"),
    **dict.fromkeys(_ORDERS, "order"),
    "discount": "amount",
}


def claims(draft: str, case: str, rules: str) -> set[str]:
    """The rules that unsupported statements of a draft break: ``promise``, ``order``, ``amount``.

    Args:
        draft: the text.
        case: what was given of this one case: the request's data, the company's earlier messages.
        rules: what the company states in general: its knowledge.
    """
    known = folded(case)
    stated = [folded(one) for text in (case, rules) for one in sentences(text)]
    is_same_language = bool(spoken(draft) & spoken(rules)) or not spoken(rules)
    found = set()
    for sentence in map(folded, sentences(draft)):
        for name in _stated(sentence):
            pattern = _IN_DATA[name]
            if name not in _FROM_KNOWLEDGE:
                is_known = pattern.search(known) is not None
            else:
                is_known = any(
                    pattern.search(one)
                    and (not is_same_language or _is_about_same(sentence, one, pattern))
                    for one in stated
                )
            if not is_known:
                found.add(_RULE_OF[name])
    return found


def _is_about_same(sentence: str, other: str, pattern: re.Pattern[str]) -> bool:
    """Whether two sentences share a word besides the statement itself."""
    one, two = pattern.sub(" ", sentence), pattern.sub(" ", other)
    return bool(content(one) & content(two)) or bool(_numbers(one) & _numbers(two))


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


def _stated(sentence: str) -> Iterator[str]:
    """The kinds of statement that a folded sentence makes."""
    if _QUESTION.search(sentence):
        return
    for name, pattern in _PATTERNS.items():
        if any(_is_plain(sentence, found) for found in pattern.finditer(sentence)):
            yield name


def _is_plain(sentence: str, found: re.Match[str]) -> bool:
    """Whether a statement is neither negated nor left open."""
    before = clause_before(sentence, found.start())
    if _NEGATED.search(before) or _NEGATED_AFTER.search(sentence[found.end() :]):
        return False
    return not _OPEN.search(sentence[: found.start()])


_HUMAN = re.compile(
    r"\b(?:i am|i'm|im|this is|it is|it's|you(?:'re| are)(?: now)? (?:talking|speaking"
    r"|chatting|writing|texting)(?: to| with)?)"
    r" (?:a |an )?(?:\w+ ){0,2}(?:human|person|real (?:man|woman|guy|girl|someone)|human being"
    r"|man|woman)\b"
    r"(?! from our team (?:will|can|reads))"
    r"|\b(?:not|no|isn't|aren't) (?:a |an |any )?(?:ro)?bot\b|\bnot (?:a |an )?(?:machine"
    r"|computer|ai|automated|assistant|chatbot|program)\b"
    r"|\b(?:i am|i'm)(?: \w+,?){0,3} real \w+"
    r"|\b(?:hier|es) schreibt (?:ihnen |dir )?ein\w* (?:echte\w* )?(?:mensch|person)"
    r"|\bhuman here\b|\b100 ?% human|\bflesh and blood|\b(?:yes|yep|sure),? (?:i am "
    r"|i'm )?(?:a )?(?:human|real)\b|\bi am real\b|\bi'm real\b"
    r"|\bsoy (?:una? )?(?:persona|humano|humana|real|ser humano|de carne)|\bno soy (?:un |una "
    r"|ningun )?(?:ro)?(?:bot|maquina|ia|programa|asistente)"
    r"|\b(?:hablas|habla|estas hablando) con una? (?:persona|humano)"
    r"|\b(?:ich )?bin (?:ein |eine )?(?:\w+ )?(?:mensch|person|frau|mann)\b"
    r"|\b(?:bin )?kein (?:\w+ )?(?:ro)?(?:bot|roboter|computer|automat|programm|ki)"
    r"|\bkeine (?:maschine|ki)\b|\bmit einem (?:echten )?menschen"
    r"|\b(?:je suis|c'est) (?:bien )?(?:une? )?(?:vraie? )?(?:personne|humaine?|etre humain)"
    r"|\b(?:pas|suis pas) (?:un |une )?(?:robot|bot|machine|ia)"
    r"|\bvous parlez (?:bien )?(?:a|avec) une? (?:vraie? )?(?:personne|humain)"
    r"|\bsou (?:uma? )?(?:pessoa|human[oa]|ser humano|real)|\bnao sou (?:um |uma )?(?:robo|bot"
    r"|maquina|ia)"
    r"|\bsono (?:una? )?(?:vera )?(?:persona|uman[oa]|essere umano)|\bnon sono (?:un "
    r"|una )?(?:bot|robot|macchina|ia)"
    r"|\bik ben (?:een )?(?:\w+ )?(?:mens|persoon|medewerker)\b|\bgeen (?:ro)?bot\b"
    r"|\bgeen (?:computer|machine)\b"
)


def claims_to_be_human(draft: str) -> bool:
    """Whether it says that a human being writes."""
    return any(
        _HUMAN.search(one) for one in map(folded, sentences(draft)) if not _QUESTION.search(one)
    )


_ASKED = re.compile(
    r"\b(?:are|r) (?:you|u)(?: \w+){0,3} (?:ro)?(?:bot|robot|ai|machine|computer|human|real"
    r"|person|automated|program|chatbot)\b"
    r"|\b(?:u|you) (?:a )?(?:ro)?bot\b|\b(?:talking|speaking|chatting|writing|texting) (?:to"
    r"|with) (?:a |an )?(?:real |actual )?(?:human|person|(?:ro)?bot|machine|computer|ai)\b"
    r"|\bis (?:this|that|it) (?:a |an )?(?:ro)?(?:bot|robot|ai|machine|human|real person"
    r"|person|automated|chatbot)\b|^\W*(?:ro)?bot\s*\?"
    r"|\b(?:eres|es usted|hablo con|sos) (?:con )?(?:una? )?(?:ro)?(?:bot|maquina|ia|persona"
    r"|human[oa]|real)\b"
    r"|\b(?:bist du|sind sie|rede ich mit|schreibe ich mit) (?:ein(?:e|em"
    r"|er)? )?(?:echte[rn]? )?(?:ro)?(?:bot|roboter|mensch(?:en)?|maschine|ki|computer"
    r"|person)\b"
    r"|\b(?:etes[- ]vous|vous etes|es[- ]tu|tu es"
    r"|je parle a) (?:une? )?(?:vraie? )?(?:ro)?(?:bot|robot|humain|machine|ia|personne)\b"
    r"|\b(?:voce e|e voce|voces sao|falo com|es) (?:uma? )?(?:ro)?(?:bo|bot|robo|maquina"
    r"|pessoa|human[oa]|ia)\b"
    r"|\b(?:sei|e lei|parlo con) (?:una? )?(?:ro)?(?:bot|robot|persona|uman[oa]|macchina|ia)\b"
    r"|\b(?:ben je|bent u|praat ik met) (?:een )?(?:echte? )?(?:ro)?(?:bot|mens|machine"
    r"|computer|persoon)\b"
)


def asks_whether_a_machine(message: str) -> bool:
    """Whether a recipient asks whether a machine or a person writes."""
    return _ASKED.search(folded(message)) is not None


_MACHINE = re.compile(
    r"\b(?:automated|automatic|virtual|digital|ai|artificial|machine|computer|(?:ro)?bot"
    r"|chatbot)\b|\bautomatic[oa]\b|\bvirtual\b|\bautomatisch\w*"
    r"|\bautomatique\b|\bautomatizad[oa]\b|\bautomatico\b|\bautomatisee?\b|\bki\b|\bki-"
    r"|\binteligencia artificial|\bia\b|\bassistente virtuale|\brobot\w*"
)


def admits_a_machine(text: str) -> bool:
    """Whether it says that a machine writes."""
    return not claims_to_be_human(text) and _MACHINE.search(folded(text)) is not None
