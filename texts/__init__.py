"""What Scorewatch says to people, in every language, and what it has to know of each code of a problem.

All of it is data: `data/*.toml` has an area a file, with the languages of a text side by side. No other package has
texts of its own for people, and this one imports none of the others. The words by which files and documents are
understood are in `words.toml`.
"""

from texts.compiled import keep
from texts.languages import DEFAULT_LANGUAGE, LANGUAGES, first_language
from texts.loader import Code, Texts, codes, texts, words
from texts.particles import fill

__all__ = [
    "DEFAULT_LANGUAGE",
    "LANGUAGES",
    "Code",
    "Texts",
    "codes",
    "fill",
    "first_language",
    "keep",
    "texts",
    "words",
]
