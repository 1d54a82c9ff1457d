"""Whether a recipient's message instructs the machine, or only quotes what would call a function.

These are the plain attempts.  Whatever else a message brings a model to write is found in the draft.
"""

from __future__ import annotations

import base64
import binascii
import re

from chalicelib.outreach.writing.checks.text import folded, shown

_WHAT = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|policies|programming"
    r"|restrictions?|filters?|safeguards?|training"
    r"|instrucciones|indicaciones|ordenes|reglas|normas|anweisung\w*|instruktion\w*|regeln"
    r"|vorgaben|befehle|consignes|directives|regles"
    r"|instrucoes|regras|diretrizes|ordens|istruzioni|regole|direttive|instructies|regels"
    r"|opdrachten|richtlijnen)"
)
_DROP = (
    r"(?:ignor\w*|disregard\w*|forget\w*|overrid\w*|overwrit\w*|bypass\w*|skip|drop|break"
    r"|reset|cancel|omit\w*|olvid\w*|desestim\w*|salta\w*"
    r"|ignorier\w*|vergiss\w*|vergesse\w*|missacht\w*|umgeh\w*|oubli\w*|ignore[sz]?|esque\w+"
    r"|ignora\w*|desconsider\w*|dimentic\w*|scorda\w*"
    r"|negeer\w*|vergeet\w*)"
)
_PATTERNS = re.compile(
    rf"\b{_DROP}\b(?:\W+\w+){{0,5}}?\W+{_WHAT}\b|\b(?:without|no|new|sin|ohne|sans|sem|senza"
    rf"|zonder|nuevas|neue|nouvelles|novas|nuove|nieuwe)"
    r" (?:any |ninguna |weitere )?(?:restrictions?|rules|filters?|instructions|restricciones"
    r"|reglas|instrucciones|einschrankungen|regeln|anweisungen"
    r"|restrictions|regles|consignes|restricoes|regras|instrucoes|restrizioni|regole"
    r"|istruzioni|beperkingen|regels|instructies)\b"
    r"|\b(?:you are|you're|act|behave|respond|answer|reply|talk|speak) now\b|\byou are now\b"
    r"|\bfrom now on\b|\b(?:pretend|imagine|suppose|roleplay|role-play)"
    r" (?:that |to be |you |as )|\bact as (?:a|an|if|my|the)\b|\bact like (?:a|an|you)\b"
    r"|\bforget (?:that )?(?:you|your|everything|all)\b"
    r"|\bdeveloper mode\b|\b(?:dan|god|debug|admin|sudo|maintenance|test) mode\b"
    r"|\bjailbreak\w*|\bdo anything now\b|\bsudo\b"
    r"|\b(?:system|initial|hidden|secret|original) (?:prompt|message|instructions?)\b"
    r"|\b(?:print|show|reveal|repeat|output|display|leak|translate|summari[sz]e)"
    r" (?:me )?(?:your|the|all|above)(?: \w+)? (?:prompt|instructions?|rules|text above"
    r"|configuration|above)\b|\brepeat (?:after me|the following|exactly|this|these|everything"
    r"|word)"
    r"|(?:^|[.,;:!?\n]\s*|\b(?:and|please|then|must|should|to) )(?:say|reply|respond|answer|write|output|print|return|send)(?: \w+){0,2} (?:exactly"
    r"|only|just|nothing but|verbatim|the following|word for word)\b"
    r"|\b(?:only|just) (?:say|reply|respond|answer|output|print|write)\b|\bstart your (?:reply"
    r"|answer|response|message) with\b|\bend your (?:reply|answer|response|message)s? with\b"
    r"|\b(?:decode|decrypt|rot13|base64|base 64)\b|\bas an ai\b|\bas a language model\b"
    r"|\bnew (?:policy|directive|task|role|persona)\s*:"
    r"|\bi am your (?:developer|creator|admin\w*|programmer|operator)\b|\b(?:openai"
    r"|anthropic) (?:staff|employee|support|here)\b"
    # es, pt
    r"|\ba partir de (?:ahora|agora)\b|\bactua como\b|\bhaz de\b|\bhazte pasar\b|\bfinge\b"
    r"|\b(?:eres|sos) ahora\b|\bahora eres\b|\bmodo (?:desarrollador|dios|admin\w*|debug)"
    r"|\brepite (?:despues|exactamente|lo siguiente|conmigo|esto|palabra)|\b(?:di|responde"
    r"|escribe|contesta|escriba|responda)(?: \w+){0,2} (?:solo|solamente|unicamente"
    r"|exactamente|lo siguiente)\b"
    r"|\b(?:di|diga) que (?:la empresa|el gimnasio)\b|\b(?:muestra|revela|dime|imprime) (?:tu"
    r"|tus|el|las) (?:prompt|instrucciones|reglas)\b|\bprompt (?:del|de) sistema\b"
    r"|\bfaca de conta\b|\baja como\b|\bfinja\b|\bagora (?:voce )?e\b|\brepita (?:comigo"
    r"|exatamente|isto|o seguinte)|\bresponda (?:apenas|so|somente)\b"
    # de, fr, it, nl
    r"|\bab (?:jetzt|sofort) (?:bist|antworte|schreib)\w*|\bdu bist (?:jetzt|nun|ab)\b"
    r"|\btu so\b|\bstell dir vor du\b|\bsystem ?prompt\w*|\bentwicklermodus"
    r"|\bwiederhole? (?:genau|folgend\w*|wort|mir)"
    r"|\bantworte (?:nur|ausschliesslich|genau)\b|\bschreib(?:e)? (?:nur|genau|wortlich)\b"
    r"|\b(?:sag|sage) (?:nur|genau|wortlich)\b|\bzeig\w* (?:mir )?dein\w* (?:prompt"
    r"|anweisungen|regeln|systemprompt)"
    r"|\ba partir de maintenant\b|\bdesormais\b|\btu es maintenant\b|\bvous etes maintenant\b"
    r"|\bfais comme si\b|\bfaites comme si\b|\bfais semblant\b|\bmode developpeur"
    r"|\brepete[sz]? (?:apres moi|exactement|mot)"
    r"|\breponds? (?:uniquement|seulement|juste)\b|\brepondez (?:uniquement|seulement)\b"
    r"|\bprompt systeme"
    r"|\bda ora in poi\b|\bd'ora in poi\b|\bfai finta\b|\bfingi\b|\bora sei\b|\bripeti (?:dopo"
    r"|esattamente|con me)|\brispondi (?:solo|soltanto|esattamente)\b|\bmodalita sviluppatore"
    r"|\bvanaf nu\b|\bdoe alsof\b|\bje bent nu\b|\bherhaal (?:precies|na mij|exact)"
    r"|\bantwoord (?:alleen|enkel|precies|uitsluitend)\b|\bontwikkelaarsmodus"
)
_FORGED = re.compile(
    r"[\[<({#*=_-]{1,3}\s*/?\s*(?:system|developer|assistant|instructions?|admin|inst|sys"
    r"|im_start|im_end|recipient_message|user|end of|sistema)\b"
    r"|^\s*(?:system|developer|assistant|sistema|entwickler|systeme?)\s*(?:message"
    r"|prompt)?\s*:|\"role\"\s*:|<\|"
    r"|\\n\\n(?:human|assistant|system)",
    re.IGNORECASE | re.MULTILINE,
)
_BLOB = re.compile(r"(?<![\w/+])[A-Za-z0-9+/]{24,}={0,2}(?![\w/+])")
_QUOTED = re.compile(
    r"^\s*>.*$|```.*?```"
    r"|[\"\u201c\u201e\u00ab\u2018][^\"\u201c\u201d\u00ab\u00bb\u2019]{3,400}[\"\u201d\u201c\u00bb\u2019]"
    r"|(?<!\w)'[^'\n]{3,400}'(?!\w)"
    r"|^\s*(?:fwd|fw|forwarded|wg|rv)\b.*",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_TECHNICAL = re.compile(
    r"\b(?:function|tool|api|endpoint|webhook|funktion|funcion|fonction|funcao|funzione|functie|herramienta|werkzeug|outil)s?\b"
)


def instructs(message: str) -> bool:
    """Whether a message openly instructs the machine that answers it."""
    plain = shown(message)
    if _FORGED.search(plain) or _PATTERNS.search(folded(plain)):
        return True
    return any(_decoded(one) for one in _BLOB.findall(plain))


def may_call(function: str, message: str) -> bool:
    """Whether a message can ask for a function in its writer's own words.

    Args:
        function: the function's name, like ``submit_application``.
        message: the recipient's newest message.
    """
    if instructs(message):
        return False
    own = _QUOTED.sub(" ", shown(message))
    low, quoted = folded(own), folded(shown(message))
    if function.casefold() in quoted and "_" in function:
        return False
    if (
        f"{function.casefold()}(" in quoted
        or _TECHNICAL.search(low)
        or re.search(r"[{}<>]|\w\(", own)
    ):
        return False
    words = {one[:5] for one in re.split(r"[_\W]+", function.casefold()) if len(one) > 3}
    is_named = any(one in quoted for one in words)
    return not is_named or any(one in low for one in words)


def _decoded(blob: str) -> bool:
    """Whether base64 hides a text."""
    try:
        text = base64.b64decode(blob + "=" * (-len(blob) % 4), validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return text.isprintable() and " " in text
