"""Names of people, and texts that are no names."""

NAMES = (
    "o'brien@example.com",
    "Zoë Müller",
    "Łukasz",
    "Anne-Marie O'Brien",
    "José (night shift)",
    "山田 花子",
    "Sam, Kim & Co. #2 <desk>",
    "=1+1",
    "x" * 254,
)
NO_NAMES = (
    "",
    " ",
    " sam",
    "sam ",
    "sam\u00a0",
    "sam\nkim",
    "sam\u2028kim",
    "sam\x00",
    "sam\x85kim",
    "pay \u202e001$",
    "a\u2066b",
    "s\ud800m",
    "x" * 255,
    7,
    None,
    ["sam"],
)
