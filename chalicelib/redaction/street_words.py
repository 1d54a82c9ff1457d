"""Words of street addresses: endings, sides, particles, and words that no address holds."""

from chalicelib.redaction.patterns import Hints

# Words that end only street names, then words that also end other phrases; those need a
# capitalised name before them.
STREETS = frozenset(
    """street avenue road lane boulevard terrace highway parkway crescent expressway expwy turnpike
    mews esplanade rd ave aven avenu blvd boulv hwy highwy pkwy pky pkway freeway fwy drive""".split()
)
MAYBE_STREETS = frozenset(
    """str st av ln dr ct court pl place way sq square cir circle trl trail ter cres close
    gardens grove park row walk hill view loop run pike point ridge plaza parade pde cl gdns
    heights green wharf quay alley crossing bend path pass cove landing causeway broadway
    mall common commons yard real bypass knoll knolls creek hollow glen manor meadow meadows
    orchard oval mount ferry crest dale fields ford forest gate haven isle junction key knl
    lake lakes lodge mill mills oaks pines ranch rise shore shores spring springs spur station
    terr tpke track trace valley village vista vw xing cv hts hl holw bnd trce expy aly""".split()
)
ENDINGS = STREETS | MAYBE_STREETS
ALONE = frozenset({"broadway"})
SIDES = frozenset(
    """nw ne sw se n s e w north south east west northwest northeast southwest southeast
    n.w n.e s.w s.e""".split()
)
FRENCH = frozenset(
    """rue avenue av boulevard bd blvd allée allee allées impasse chemin place quai cours route
    square passage faubourg sentier ruelle villa esplanade""".split()
)
PARTICLES = frozenset(
    """de du des la le les d l saint sainte st général docteur dr président maréchal van von der den
    del da do dos das della dei di san santa las los el y e et et""".split()
)
NEVER = frozenset(
    """the a an of in on at for to my your our their his her this that is are was were have has had
    and or but with from by minutes minute hours hour days day weeks week months month years year
    miles mile km percent times items item orders order pieces people more less than about per
    stars star dollars bucks euros pounds different small big large pairs boxes i we you they it
    only just not no if when then so as down up next step steps ways other another each every pm am
    easy business working min mins stop per degree level x palms flags points""".split()
)
# Second words of places whose names begin with a number: 29 Palms, 100 Mile House.
PLACES = frozenset("mile miles palms flags points".split())
GERMANIC = (
    "straße", "strasse", "str.", "str", "weg", "platz", "allee", "gasse", "ring", "damm", "ufer",
    "steig", "chaussee", "stieg", "straat", "laan", "gracht", "plein", "markt", "berg", "hof",
    "kai", "promenade", "vej", "gatan", "vägen", "gade", "gata", "veien", "graben", "kamp",
    "singel", "kade", "dijk", "pfad", "winkel", "park", "feld", "hang", "heide",
)  # fmt: skip
SURE = frozenset({"straße", "strasse", "chaussee", "gracht"})
# The last three letters of such a word, without full stop and "nr."; of "str" the two letters "st".
TRIMMED = frozenset(ending.rstrip("r.n")[-3:] for ending in GERMANIC)
ROMANCE_WORDS = frozenset(
    """carrer avinguda passeig calle avenida alameda avda paseo plaza pza camino carrera ronda travesía bulevar blvd calzada calz
    cerrada cda privada priv prolongación prol carretera circuito andador eje strada urbanización urbanizacion urb rua travessa largo
    praça via viale corso piazza vicolo ulica aleja""".split()
)
ROMANCE_SIGNS = ("c/", "cl.", "av.", "pº", "ul.", "al.")
ROMANCE_HINTS = Hints(*ROMANCE_WORDS, anywhere=ROMANCE_SIGNS)
ROMANCE_WRITTEN = (
    "carrer", "avinguda", "passeig", "calle ", "c/", "cl.", "avenida", "alameda", "avda", "av.", "paseo", "pº", "plaza", "pza", "camino", "ronda",
    "bulevar", "blvd", "calz", "cerrada", "cda.", "priv", "prol", "carretera", "circuito", "andador", "eje ",
    "carrera", "travesía", "strada", "urb", "rua", "travessa", "largo", "praça", "via", "corso", "piazza", "vicolo",
    "ul", "al.", "aleja",
)  # fmt: skip
LEADS = frozenset("am an zum zur unter alte alter altes alten neue neuer neuen große".split())
