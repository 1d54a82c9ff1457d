"""Tracking links: links to a carrier, or with a tracking word in them, are masked whole."""

from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.sheet import Kind, Sheet

_LINK = lazily(r"(?:https?://|www\.|hxxps?://)[^\s<>\"\x00`]++(?:\x1f[^\s<>\"\x00`]++)*+")
_HOSTS = (
    r"ups|fedex|usps|dhl|dpd|gls-group|gls-pakete|gls-us|myhermes|myhermes|hermesworld|evri|ontrac|"
    r"lasership|royalmail|parcelforce|canadapost|canadapost-postescanada|auspost|purolator|"
    r"laposte|colissimo|chronopost|correos|correosexpress|postnl|bpost|yodel|aramex|17track|"
    r"aftership|parcelsapp|packagetrackr|track24|narvar|parcellab|shipstation|shippo|goshippo|"
    r"easypost|malomo|route|yunexpress|cainiao|seur|mrw|inpost|packeta|poste|swisspost|post|"
    r"deutschepost|myhermes|starshipit|sendle|couriersplease|startrack|tnt|4px|amazon-logistics"
)
_CARRIER = lazily(rf"(?:^|[/.@])(?:{_HOSTS})\.(?:[a-z]{{2,6}})(?:\.[a-z]{{2}})?(?:[/:?#]|$)")
_TRACKS = lazily(
    r"track|tracing|trknbr|trackno|awb|waybill|sendung|seguimiento|rastre|suivi|spedizione|"
    r"zending|sporing|spårning|parcel|shipment|package|tlabels|trk|consignment|piececode|"
    r"localizador|envio|colis|idc="
)
_TAIL = ".,;:!?)]}>'\"*_|"


def mask_links(sheet: Sheet) -> None:
    """Mask links to a carrier or with a tracking word; other links stay, and later passes read them."""
    low = sheet.low
    if "://" in low or "www." in low:
        for match in _LINK().finditer(low):
            link = _trimmed(match.group())
            if _is_tracking(link):
                sheet.claim(match.start(), match.start() + len(link), Kind.TRACKING, "***")
        sheet.settle()
        low = sheet.low
    if "/" in low and "." in low:
        _mask_bare(sheet)


def _mask_bare(sheet: Sheet) -> None:
    """Mask tracking links written without a scheme: `ups.com/track?tracknum=...`."""
    low = sheet.low
    for match in _HOST_END().finditer(low):
        left = low[max(0, match.start() - 80) : match.start()]
        host_start = match.start() - len(left) + len(left.rstrip(_HOST_CHARS))
        if host_start > 0 and low[host_start - 1] in "@/":
            continue
        link = _trimmed(low[host_start : match.end()])
        if _CARRIER().search(link) or _STRONG().search(link):
            sheet.claim(host_start, host_start + len(link), Kind.TRACKING, "***")
    sheet.settle()


_HOST_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789-."
_HOST_END = lazily(r"\.[a-z]{2,6}/[^\s<>\"\x00`]++")
_STRONG = lazily(r"/track|tracking|trknbr|tracknum|sendung|seguimiento|suivi")


def _is_tracking(link: str) -> bool:
    host, _, path = (
        link.partition("://")[2].partition("/") if "://" in link else link.partition("/")
    )
    return _CARRIER().search("/" + host + "/") is not None or (
        _TRACKS().search(host) is not None or _TRACKS().search(path) is not None
    )


def _trimmed(link: str) -> str:
    """A link without the punctuation at its end, which belongs to the sentence around it."""
    kept = link.rstrip(_TAIL)
    # A bracket opened inside the link belongs to it.
    return kept + ")" if "(" in kept and link[len(kept) : len(kept) + 1] == ")" else kept
