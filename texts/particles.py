"""Fills in texts, with the Korean particles that fit what they follow.

A text names a particle by its two forms, the one for after a consonant first: `'{name}'{을/를}`. Which one fits follows
from how the word before it is read: quotes, and brackets behind a word, are not read, digits are read as a number,
Latin letters as a word or one by one. A word in another script counts as one that ends in a vowel.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_PARTICLE = re.compile(r"\{(\w+/\w+)\}")
_LOOK_BACK = 200  # characters in which the word before a particle is looked for
_VOWEL, _LIQUID, _OTHER = range(3)  # what a word ends in; one particle takes the liquid, l, for a vowel
_BRACKETS = {")": "(", "]": "["}
_NUMBER = re.compile(r"(?<![\d.])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\Z")
_DIGITS = (_OTHER, _LIQUID, _VOWEL, _OTHER, _VOWEL, _VOWEL, _OTHER, _LIQUID, _LIQUID, _VOWEL)
_ZEROS_IN_VOWEL = range(12, 16)  # of the powers of 10, only the word for the 12th ends in a vowel
_WORD = re.compile(r"(?:[A-Z]+|[A-Z]?[a-z]+)\Z")
_SHORT = 3  # letters of an abbreviation that is read letter by letter: API, but JSON
_EXCEPTIONS = {"check": _VOWEL, "ok": _VOWEL, "out": _OTHER, "set": _OTHER, "type": _OTHER}  # by the end of a word
_LETTERS = {"l": _LIQUID, "r": _LIQUID, "m": _OTHER, "n": _OTHER}
_READ_LIQUID = re.compile(r"le?\Z")
_READ_OTHER = re.compile(r"(?:m|n|ng|[aeiouy][mn]e|ck|(?:^|[^aeiou])[aeiou][bckpt])\Z")
_FIRST_SYLLABLE, _LAST_SYLLABLE = 0xAC00, 0xD7A3
_FINALS, _FINAL_L = 28, 8  # ways in which a Korean syllable can end, the first of them in a vowel
_EU = 0xC73C  # the syllable that one particle leaves out after a vowel


def fill(text: str, values: Mapping[str, str]) -> str:
    """A text of the catalogue with its values and the particles that fit them. Raises KeyError as `format_map`."""
    first, *rest = _pieces(text)
    said = first.format_map(values)
    for particle, piece in zip(rest[::2], rest[1::2], strict=True):
        said += fitting(particle, said) + piece.format_map(values)
    return said


def fitting(particle: str, before: str) -> str:
    """The form of a particle (`은/는`) that fits the end of what is said before it."""
    after_consonant, _, after_vowel = particle.partition("/")
    end = _end_of(unicodedata.normalize("NFKC", before[-_LOOK_BACK:]))
    is_vowel = end == _VOWEL or (end == _LIQUID and ord(after_consonant[0]) == _EU)
    return after_vowel if is_vowel else after_consonant


@lru_cache(maxsize=8192)
def _pieces(text: str) -> tuple[str, ...]:
    """Pieces of a text, with a particle between any two."""
    return tuple(_PARTICLE.split(text))


def _end_of(text: str) -> int:
    """What the last word that is read ends in."""
    word = _read(text)
    if word and _FIRST_SYLLABLE <= ord(word[-1]) <= _LAST_SYLLABLE:
        final = (ord(word[-1]) - _FIRST_SYLLABLE) % _FINALS
        return _LIQUID if final == _FINAL_L else _OTHER if final else _VOWEL
    if number := _NUMBER.search(word):
        return _end_of_number(number[1], number[2])
    latin = _WORD.search(word)
    return _end_of_word(latin[0]) if latin else _VOWEL


def _read(text: str) -> str:
    """A text up to the last word that is read: without what is in brackets behind a word, and without signs."""
    while text and not (text[-1].isalnum() or text[-1] == "%"):
        before = text[: _start_of_brackets(text)]
        text = before if any(map(str.isalnum, before)) else text[:-1]
    return text


def _start_of_brackets(text: str) -> int:
    """Where the brackets open that the last character closes; 0 where it closes none."""
    closing = text[-1]
    opening, depth = _BRACKETS.get(closing), 0
    for at in range(len(text) - 1, 0, -1) if opening else ():
        depth += (text[at] == closing) - (text[at] == opening)
        if not depth:
            return at
    return 0


def _end_of_number(whole: str, fraction: str | None) -> int:
    """What a number ends in when it is read; decimals and numbers with leading zeros are read digit by digit."""
    digits = (fraction or whole).replace(",", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    if not fraction and not whole.startswith("0") and zeros in _ZEROS_IN_VOWEL:
        return _VOWEL
    return _DIGITS[int(digits[-1])]


def _end_of_word(word: str) -> int:
    """What a word in Latin letters ends in: by its letters where it is read so, else by how such words are read."""
    lower = word.lower()
    exception = next((end for suffix, end in _EXCEPTIONS.items() if lower.endswith(suffix)), None)
    if exception is not None:
        return exception
    if not set(lower) & set("aeiouy") or len(word) == 1 or (word.isupper() and len(word) <= _SHORT):
        return _LETTERS.get(lower[-1], _VOWEL)
    return _LIQUID if _READ_LIQUID.search(lower) else _OTHER if _READ_OTHER.search(lower) else _VOWEL
