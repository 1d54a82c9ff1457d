"""Words for numbers below a hundred, in six languages."""

_DIGITS = (
    "zero oh o cero null zéro nought zeroes",
    "one uno una eins ein un une um uma",
    "two dos zwei zwo deux due dois duas",
    "three tres drei trois tre três",
    "four cuatro vier quatre quattro quatro",
    "five cinco fünf fuenf cinq cinque",
    "six seis sechs sei meia",
    "seven siete sieben sept sette sete",
    "eight ocho acht huit otto oito",
    "nine nueve neun neuf nove",
)
_TEENS = (
    "ten diez zehn dix dieci dez",
    "eleven once elf onze undici",
    "twelve doce zwölf zwoelf douze dodici doze",
    "thirteen trece dreizehn treize tredici treze",
    "fourteen catorce vierzehn quatorze quattordici catorze",
    "fifteen quince fünfzehn quinze quindici",
    "sixteen dieciséis dieciseis sechzehn seize sedici dezesseis",
    "seventeen diecisiete siebzehn diciassette dezessete",
    "eighteen dieciocho achtzehn diciotto dezoito",
    "nineteen diecinueve neunzehn diciannove dezenove",
)
_TENS = (
    "twenty veinte zwanzig vingt venti vinte",
    "thirty treinta dreißig dreissig trente trenta trinta",
    "forty fourty cuarenta vierzig quarante quaranta quarenta",
    "fifty cincuenta fünfzig cinquante cinquanta cinquenta",
    "sixty sesenta sechzig soixante sessanta sessenta",
    "seventy setenta siebzig settanta",
    "eighty ochenta achtzig ottanta oitenta",
    "ninety noventa neunzig novanta",
)
VALUES: dict[str, str] = {
    **{word: str(value) for value, words in enumerate(_DIGITS) for word in words.split()},
    **{word: str(value) for value, words in enumerate(_TEENS, 10) for word in words.split()},
    **{word: f"{value}0" for value, words in enumerate(_TENS, 2) for word in words.split()},
}
"""The digits that each number word means."""
