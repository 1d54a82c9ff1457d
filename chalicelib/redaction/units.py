"""Units and counted things: a number right before one of them is a measure or a count."""

import re

_UNITS = frozenset(
    """byte bytes kb mb gb tb kib mib ms µs ns s sec secs second seconds mah lumen lumens m km cm mm g kg mg ml l w kw wh kwh hz khz
    v ft inch inches rpm px views followers subscribers people persons piece pieces pcs stück item items unit units box boxes
    bottle bottles pair pairs guests copies employees visitors students customers day days week weeks month months year years
    hour hours minute minutes personen flaschen gäste seiten tage wochen stunden besucher einwohner kunden
    personas botellas unidades piezas cajas días semanas horas clientes
    personnes bouteilles pièces unités jours semaines heures visiteurs habitants clients
    persone bottiglie pezzi unità giorni settimane ore clienti pessoas garrafas peças caixas dias
    steps schritte pasos passi étapes passos""".split()
)
_COUNTS = _UNITS | frozenset(
    "x % € $ £ of more different product products time times percent orders pedidos".split()
)
_NEXT = re.compile(r"[ \x1f]?([^\W\d_]+|[%€$£])(?!\w)")


def is_measured(low: str, end: int) -> bool:
    """Whether a unit or a counted thing follows a number, as in "12 kg"."""
    following = _NEXT.match(low, end)
    return following is not None and following[1] in _UNITS


def is_counted(low: str, end: int) -> bool:
    """Whether a unit or a counted thing follows a number; more words count than for `is_measured`."""
    following = _NEXT.match(low, end)
    return following is not None and following[1] in _COUNTS
