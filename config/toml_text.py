"""Settings files, bytes to values; whatever keeps one from being read is one kind of error."""

import tomllib
from collections.abc import Iterator

_TOO_LONG = "a whole number has too many digits"
_LARGEST = 2**63  # whole numbers of TOML have 64 bits; longer ones would fail wherever they are shown


def parse_toml(data: bytes) -> dict[str, object]:
    """The content of a TOML file. Raises TOMLDecodeError for what is none or can't be read, UnicodeDecodeError."""
    text = data.decode("utf-8-sig")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        reason = "brackets are nested too deep"
    except ValueError:  # more digits than Python reads
        reason = _TOO_LONG
    else:
        if not any(isinstance(one, int) and abs(one) > _LARGEST for one in _all_values(values)):
            return values
        reason = _TOO_LONG
    raise tomllib.TOMLDecodeError(reason)


def _all_values(values: object) -> Iterator[object]:
    """Everything in the content, at any depth."""
    left = [values]
    while left:
        one = left.pop()
        yield one
        left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
