"""Invented identifiers in published formats, with correct check digits where the format has one."""

import random
import string

Pair = tuple[str, str]  # the identifier in the text, the required mask


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.digits) for _ in range(count))


def _first(rng: random.Random, choices: str, count: int) -> str:
    return rng.choice(choices) + digits(rng, count - 1)


def _four(identifier: str) -> str:
    kept = [c for c in identifier if c.isalnum()]
    return "***" + "".join(kept[-4:]) if len(kept) >= 5 else "***"


_GIVEN = "anna ben carla david erik fatima george hana ivan julia karl lena marco nina olga pedro".split()
_FAMILY = "smith jones mueller garcia rossi dubois novak silva kowalski jensen tanaka patel".split()
_DOMAINS = (
    "example.com example.org mail.example.net example.co.uk shop.example.de example.fr my-example.com "
    "example.com.au gmail.com outlook.com web.de example.io"
).split()


def email(rng: random.Random) -> Pair:
    given, family = rng.choice(_GIVEN), rng.choice(_FAMILY)
    local = rng.choice(
        [f"{given}.{family}", f"{given}{digits(rng, 2)}", f"{given[0]}{family}", f"{given}_{family}",
         f"{given}+orders", f"{given}-{family}", f"{given.title()}.{family.title()}", f"o'{family}",
         f"{family}{digits(rng, 4)}", f"{given}.{family}+shop-{digits(rng, 3)}"]
    )  # fmt: skip
    domain = rng.choice(_DOMAINS)
    name, _, top = domain.rpartition(".")
    style = rng.random()
    if style < 0.72:
        text = f"{local}@{domain}"
        text = text.upper() if rng.random() < 0.06 else text
    elif style < 0.84:
        text = rng.choice(
            [f"{given} at {name} dot {top}", f"{given} (at) {name} (dot) {top}",
             f"{given}[at]{name}[dot]{top}", f"{given} dot {family} at {name} dot {top}",
             f"{given}(at){domain}", f"{given} AT {name} DOT {top}",
             f"{given} arroba {name} punto {top}", f"{given} @ {domain}"]
        )  # fmt: skip
    elif style < 0.95:
        text = f"{local}{rng.choice(['%40', '&#64;', '&#x40;', '＠', '&commat;', chr(92) + 'u0040', '%2540'])}{domain}"
    else:
        text = f"{given}\u200b.{family}@\u200b{domain}"
    return text, "***@***"


def phone(rng: random.Random) -> Pair:
    area, office, line = _first(rng, "23456789", 3), _first(rng, "23456789", 3), digits(rng, 4)
    us = [
        f"({area}) {office}-{line}", f"{area}-{office}-{line}", f"{area}.{office}.{line}",
        f"{area} {office} {line}", f"+1 {area} {office} {line}", f"+1-{area}-{office}-{line}",
        f"1-{area}-{office}-{line}", f"+1{area}{office}{line}", f"{area}{office}{line}",
        f"1 ({area}) {office}-{line}", f"({area}){office}-{line}", f"{area}/{office}-{line}",
        f"{area} - {office} - {line}", f"+1 ({area}) {office}-{line}", f"1.{area}.{office}.{line}",
    ]  # fmt: skip
    rest = digits(rng, 9)
    abroad = [
        f"+44 20 {_first(rng, '378', 4)} {line}", f"020 7{rest[:3]} {line}", f"07{rest[:3]} {rest[3:6]}{rest[6:9]}",
        f"+44 7{rest[:3]} {rest[3:9]}", f"+44 (0)20 7{rest[:3]} {line}", f"+49 30 {rest[:4]}{line}",
        f"+49 (0) 171 {rest[:3]}{line}", f"0171 {rest[:3]}{line}", f"030/{rest[:4]}{line}", f"0049 171 {rest[:3]}{line}",
        f"+33 6 {rest[:2]} {rest[2:4]} {rest[4:6]} {rest[6:8]}", f"06 {rest[:2]} {rest[2:4]} {rest[4:6]} {rest[6:8]}",
        f"06.{rest[:2]}.{rest[2:4]}.{rest[4:6]}.{rest[6:8]}", f"01{rest[:8]}",
        f"+34 6{rest[:2]} {rest[2:5]} {rest[5:8]}", f"6{rest[:2]} {rest[2:5]} {rest[5:8]}", f"9{rest[:2]} {rest[2:4]} {rest[4:6]} {rest[6:8]}",
        f"+39 3{rest[:2]} {rest[2:5]} {line}", f"+61 4{rest[:2]} {rest[2:5]} {rest[5:8]}", f"04{rest[:2]} {rest[2:5]} {rest[5:8]}",
        f"(0{rng.choice('2378')}) {_first(rng, '4689', 4)} {line}", f"+55 11 9{rest[:4]}-{line}", f"(11) 9{rest[:4]}-{line}",
        f"+52 55 {_first(rng, '12345', 4)} {line}", f"+91 {_first(rng, '789', 5)} {rest[:5]}", f"{_first(rng, '789', 5)} {rest[:5]}",
        f"+31 6 {rest[:8]}", f"06-{rest[:8]}", f"+48 {_first(rng, '5678', 3)} {rest[:3]} {rest[3:6]}", f"+46 70-{rest[:3]} {rest[3:5]} {rest[5:7]}",
        f"+41 79 {rest[:3]} {rest[3:5]} {rest[5:7]}", f"+353 87 {rest[:3]} {line}", f"+81 90-{rest[:4]}-{line}", f"+86 138 {rest[:4]} {line}",
    ]  # fmt: skip
    text = rng.choice(us) if rng.random() < 0.55 else rng.choice(abroad)
    mask = "***-***-" + "".join(c for c in text if c.isdigit())[-4:]
    style = rng.random()
    if style < 0.08:
        text += rng.choice([" ext. ", " x", " ext ", ", extension "]) + digits(rng, 3)
    elif style < 0.13:
        text = "".join(chr(0xFF10 + int(c)) if c.isdigit() else c for c in text)
    elif style < 0.16:
        text = "".join(chr(0x0660 + int(c)) if c.isdigit() else c for c in text)
    elif style < 0.19:
        text = text.replace("-", "\u2011").replace(" ", "\u00a0")
    elif style < 0.22:
        text = "\u200d".join(text)
    return text, mask


def _s10(rng: random.Random, country: str) -> str:
    body = digits(rng, 8)
    check = 11 - sum(int(d) * w for d, w in zip(body, (8, 6, 4, 2, 3, 5, 9, 7), strict=True)) % 11
    check = {10: 0, 11: 5}.get(check, check)
    letters = rng.choice("RLECV") + rng.choice(string.ascii_uppercase)
    return f"{letters}{body}{check}{country}"


def _mod10(body: str) -> str:
    total = sum(int(d) * (3 if i % 2 == 0 else 1) for i, d in enumerate(reversed(body)))
    return body + str(-total % 10)


def _fedex(rng: random.Random) -> str:
    body = digits(rng, 11)
    return body + str(sum(int(d) * w for d, w in zip(body, (3, 1, 7) * 4, strict=False)) % 11 % 10)


def _ups(rng: random.Random) -> str:
    pool = string.digits + string.ascii_uppercase
    body = "".join(rng.choice(pool) for _ in range(6)) + digits(rng, 9)
    values = [int(c) if c.isdigit() else (ord(c) - 63) % 10 for c in body]
    total = sum(values[0::2]) + 2 * sum(values[1::2])
    return f"1Z{body}{-total % 10}"


def _fours(number: str) -> str:
    return " ".join(number[i : i + 4] for i in range(0, len(number), 4))


def tracking(rng: random.Random) -> Pair:
    usps = _mod10(rng.choice(["94", "92", "93", "95"]) + digits(rng, 19))
    ups = _ups(rng)
    link_number = rng.choice([ups, usps, _fedex(rng)])
    text = rng.choice([
        ups, ups, f"{ups[:2]} {ups[2:5]} {ups[5:8]} {ups[8:10]} {ups[10:14]} {ups[14:]}", usps, _fours(usps), "420" + digits(rng, 5) + usps,
        _fedex(rng), _fours(_fedex(rng)), "96" + digits(rng, 20), digits(rng, 15), "61" + digits(rng, 18),
        digits(rng, 10), "JD01" + digits(rng, 16), "JJD00" + digits(rng, 15), "00340" + digits(rng, 15), "GM" + digits(rng, 18),
        "TBA" + digits(rng, 12), "TBM" + digits(rng, 12), _s10(rng, "GB"), _s10(rng, "DE"), _s10(rng, "CN"), _s10(rng, "US"), _s10(rng, "FR"),
        digits(rng, 16), _s10(rng, "CA"), "33" + rng.choice(string.ascii_uppercase) * 3 + digits(rng, 12), _s10(rng, "AU"),
        digits(rng, 14), "C" + digits(rng, 14), "1LS" + digits(rng, 12), "YT" + digits(rng, 16), "LP00" + digits(rng, 12), "3S" + rng.choice(["ABCD", "KLMN"]) + digits(rng, 9),
        "H" + digits(rng, 15), "6A" + digits(rng, 11),
        f"https://www.ups.com/track?loc=en_US&tracknum={link_number}", f"https://www.fedex.com/fedextrack/?trknbr={link_number}",
        f"https://tools.usps.com/go/TrackConfirmAction?tLabels={link_number}", f"https://track.aftership.com/{link_number}",
        f"https://www.dhl.de/de/privatkunden/pakete-empfangen/verfolgen.html?piececode={link_number}", f"https://t.17track.net/en#nums={link_number}",
        f"www.royalmail.com/track-your-item#/tracking-results/{link_number}", f"https://shop.example.com/tracking/{link_number}",
        f"http://parcelsapp.com/en/tracking/{link_number}", f"https://www.canadapost-postescanada.ca/track-reperage/en#/details/{link_number}",
        f"https://auspost.com.au/mypost/track/#/details/{link_number}", f"ups.com/track?tracknum={link_number}",
    ])  # fmt: skip
    if "/" not in text and rng.random() < 0.08:
        text = text.lower()
    return text, "***"


def order(rng: random.Random) -> Pair:
    letters = "".join(rng.choice(string.ascii_uppercase) for _ in range(2))
    text = rng.choice([
        digits(rng, 4).replace("0", "3"), _first(rng, "123456789", 5), _first(rng, "123456789", 6), _first(rng, "123456789", 7),
        _first(rng, "123456789", 8), _first(rng, "123456789", 9), f"{digits(rng, 3)}-{digits(rng, 7)}-{digits(rng, 7)}", f"{digits(rng, 3)}-{digits(rng, 7)}-{digits(rng, 7)}",
        f"{digits(rng, 2)}-{digits(rng, 5)}-{digits(rng, 5)}", f"{letters}{digits(rng, 5)}", f"{letters}-{digits(rng, 5)}", f"{letters}-{digits(rng, 4)}-{digits(rng, 3)}",
        f"{letters[0]}{digits(rng, 8)}", f"{_first(rng, '123456789', 4)}-{digits(rng, 4)}", f"W{digits(rng, 10)}",
    ])  # fmt: skip
    return text, _four(text)


def luhn(body: str) -> str:
    doubled = body[-1::-2]
    total = sum(sum(divmod(2 * int(d), 10)) for d in doubled) + sum(int(d) for d in body[-2::-2])
    return body + str(-total % 10)


def card(rng: random.Random) -> Pair:
    prefix, length = rng.choice([
        ("4", 16), ("4", 16), ("4", 13), ("5" + rng.choice("12345"), 16), ("22" + rng.choice("3456789"), 16), ("34", 15), ("37", 15),
        ("6011", 16), ("65", 16), ("36", 14), ("3528", 16), ("62", 16), ("62", 19), ("5018", 16), ("6759", 16),
    ])  # fmt: skip
    number = luhn(prefix + digits(rng, length - 1 - len(prefix)))
    if length in {14, 15}:
        groups = [number[:4], number[4:10], number[10:]]
    else:
        groups = [number[i : i + 4] for i in range(0, length, 4)]
    text = rng.choice(["", " ", " ", "-", "-", ".", "  ", "/", " - ", "_"]).join(groups)
    return text, "***" + number[-4:]


_IBANS = {"DE": 18, "GB": 0, "FR": 23, "ES": 20, "NL": 0, "IT": 0, "AT": 16, "BE": 12, "CH": 17, "PL": 24, "PT": 21, "IE": 0}  # fmt: skip


def iban(rng: random.Random) -> Pair:
    country = rng.choice(list(_IBANS))
    bank = "".join(rng.choice(string.ascii_uppercase) for _ in range(4))
    body = {
        "GB": bank + digits(rng, 14), "NL": bank + digits(rng, 10), "IE": bank + digits(rng, 14), "IT": bank[0] + digits(rng, 22),
    }.get(country) or digits(rng, _IBANS[country])  # fmt: skip
    value = int("".join(str(int(c, 36)) for c in body + country + "00"))
    text = f"{country}{98 - value % 97:02}{body}"
    mask = "***" + text[-4:]
    style = rng.random()
    text = (
        _fours(text)
        if style < 0.5
        else text.lower()
        if style < 0.6
        else _fours(text).replace(" ", "-")
        if style < 0.7
        else text
    )
    return text, mask if text.isupper() or not text[-1].isalpha() else mask.lower()


def ssn(rng: random.Random) -> Pair:
    area = f"{rng.randint(1, 899):03}"
    parts = [area, f"{rng.randint(1, 99):02}", f"{rng.randint(1, 9999):04}"]
    return rng.choice(["-", "-", "-", " ", "."]).join(parts), "***" + parts[-1]


_EN = "Maple Oak Washington Lincoln Park Cedar Elm Highland Sunset Church Mill Station Victoria King Queen Green".split()
_DE = "Haupt Bahnhof Garten Schiller Goethe Linden Berg Kirch Wald Rosen Schul Mozart".split()
_FR = "Victor Hugo|de la République|de la Paix|Jean Jaurès|du Général Leclerc|des Lilas|Pasteur|de l'Église|Saint-Honoré".split(
    "|"
)
_ES = "Mayor|de Alcalá|Gran Vía|San Juan|del Sol|Cervantes|de la Constitución|Real".split("|")


def address(rng: random.Random) -> Pair:
    n = str(rng.randint(1, 9999) if rng.random() < 0.5 else rng.randint(1, 220))
    en = rng.choice(_EN) if rng.random() < 0.7 else f"{rng.choice(_EN)} {rng.choice(_EN)}"
    en = rng.choice([en, en, "North " + en, f"{rng.randint(2, 99)}th"])
    kind = rng.choice(
        "Street St Avenue Ave Road Rd Lane Ln Drive Dr Boulevard Blvd Court Ct Way Place Terrace Close Crescent".split()
    )
    dot = rng.choice(["", "", "."]) if len(kind) < 4 else ""
    us = f"{n} {en} {kind}{dot}"
    unit = rng.choice(["", "", ", Apt 4B", " Apt. 12", ", Suite 300", " #5", ", Unit 7"])
    town = rng.choice("Springfield Riverton Fairview Madison Greenville Clayton Ashford".split())
    de = rng.choice(
        [
            f"{rng.choice(_DE)}straße {n[:3]}",
            f"{rng.choice(_DE)}str. {n[:2]}a",
            f"{rng.choice(_DE)}weg {n[:2]}",
            f"{rng.choice(_DE)}platz {n[:2]}",
            f"Berliner Allee {n[:3]}",
            f"Am {rng.choice(_DE)}ring {n[:2]}",
        ]
    )
    text = rng.choice([
        us + unit, us + unit, f"{us}{unit}, {town}, {rng.choice(['IL', 'TX', 'NY', 'CA', 'WA'])} {digits(rng, 5)}", f"{us}, {town} {rng.choice(['NSW', 'VIC', 'QLD'])} {_first(rng, '234', 4)}",
        f"{us}, {town}, ON M{digits(rng, 1)}H {digits(rng, 1)}M{digits(rng, 1)}", f"{n[:3]} {en} {kind}, London SW{rng.randint(1, 9)}A {rng.randint(1, 9)}AA", f"Flat {rng.randint(1, 9)}, {n[:2]} {en} Road, {town} LS{rng.randint(1, 9)} {rng.randint(1, 9)}AB",
        f"P.O. Box {n}", f"PO Box {n}, {town}, TX {digits(rng, 5)}", us.lower() if kind in {"Street", "Avenue", "Road", "Lane"} else us,
        de, de, f"{de}, {digits(rng, 5)} Berlin", f"{de}\n{digits(rng, 5)} Hamburg", f"{n[:2]} rue {rng.choice(_FR)}", f"{n[:2]} rue {rng.choice(_FR)}, 7500{rng.randint(1, 9)} Paris",
        f"{n[:2]} bis avenue {rng.choice(_FR)}", f"{n[:2]}, boulevard {rng.choice(_FR)}", f"Calle {rng.choice(_ES)} {n[:2]}", f"C/ {rng.choice(_ES)}, {n[:2]}, 28013 Madrid", f"Avenida {rng.choice(_ES)} {n[:3]}", f"Via Roma {n[:2]}, 00184 Roma",
    ])  # fmt: skip
    return text, "[ADDRESS]"
