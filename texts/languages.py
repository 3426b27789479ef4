"""The languages that Scorewatch speaks. Imports nothing."""

LANGUAGES = ("ko", "en")
DEFAULT_LANGUAGE = "ko"


def first_language(*candidates: object) -> str:
    """The first candidate that names a language, in any case of letters; the default when none does."""
    for candidate in candidates:
        if isinstance(candidate, str) and (name := candidate.strip().lower()) in LANGUAGES:
            return name
    return DEFAULT_LANGUAGE
