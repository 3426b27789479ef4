"""Does an answer lead where it was expected to: addresses compared by key, then by path (docs/scoring.md#addresses)."""

import re
import string
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from scoring.rubric import AddressRule
from scoring.text import CELL_CHARACTERS, normalise

_MARK = "://"
_SCHEME = string.ascii_letters + string.digits + "+.-"
_NO_START = string.digits + "+.-"  # a scheme starts with a letter
_HOST = re.compile(r"[^/?#]*")
_BARE_HOST = re.compile(r"//[^/?#]*|(?:localhost|(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})(?::[0-9]+)?(?=/)")
_AMPERSAND = re.compile(r"&(?:(?:amp|#0*38|#x0*26);)+", re.IGNORECASE)  # as HTML writes `&`
_PERCENT_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_MAX_FOUND = 1_000

# Where an address ends in prose. ASCII brackets are not among them, because addresses may hold them in pairs.
_WORD = re.compile(r"""[^\s"'<>`,;|“”‘’「」『』（）［］【】〔〕《》〈〉、。，；→⇒]+""")
_MARKDOWN_ESCAPE = re.compile(r"\\([_/&=?*~-])")
_STOPS = ".!?:*~…·"
_NO_PREFIX = frozenset(string.ascii_letters + string.digits + "-._~%#")  # before a slash they belong to the path
_PARTICLE = re.compile(
    r"(?:\(으\)로|[을이은와]\([를가는과]\)|\([을이은와]\)[를가는과]|(?:으로|로|에서|에|까지|부터)(?:은|는|도|만|의)?|[은는을를이가과와의도만나인임]"
    r"|입니다|이다|이며|이고|이나|(?:이)?라[는고]|(?:으로|로)(?:이동|연결|진입|접속|안내|전환|간다|가기).*)\Z"
)
_PARTICLE_CHARACTERS = 12
_HANGUL = re.compile(r"[가-힣]")
_GLUED = re.compile(r"[A-Za-z0-9_.%+~()-]*[A-Za-z0-9](?=[가-힣])")  # an ASCII value up to the Hangul right after it
_TO = "(?:open|go|mov|navigat|link|lead|redirect|rout|point|visit|access|show|us)(?:e|ing)?|be|to|at|the|page|screen"
_BEFORE_EXCLUDED = re.compile(
    rf"(?:(?:\b(?:not|never|cannot|avoid|except|without|instead of|(?:other|rather) than)|n['’]t)(?: (?:{_TO}))*:?"
    r"|(?:금지|제외) ?:) ?[\"'`“‘<「『（［【〔《〈]*\Z",
    re.IGNORECASE,
)
_BEFORE_CHARACTERS = 80
_EXCLUDED_END = re.compile(r"(?:말고|대신|아닌|아님|아니[라고며다])\Z")
_MOVES = "이동|연결|진입|접속|접근|안내|전환|가|열|보내|보이|표시|노출|나오|나타|사용"
_AFTER_EXCLUDED = re.compile(
    r"[^\w\s]*[이가은는을를도]? ?(?:아니(?!면)|아닌|아닐 것|아님|아닙|말고|대신|제외|빼고|금지|불가|없(?:음|어야|습))"
    rf"|(?:\S+ )?(?:{_MOVES})\S*(?:지 (?:않|말|못)|(?:면|서는?) 안|(?: 것[은을]?)? ?(?:금지|불가)"
    r"| 안 ?(?:함|됨|한다|합니다|된다|됩니다|돼))"
    rf"|(?:\S*[로에을를은는이가] )?(?:안|못) (?:{_MOVES})(?!운데)"
    r"|(?:\S*[로에을를은는이가] )?(?:안 ?|못 )(?:된|되|됨|됩|돼)"
    r"|[^\w\s]* ?(?:(?:is|are|must|should|shall|may|can|does|do|will) not|(?:is|are|must|should|ca|does|do|wo)n t"
    r"|cannot|never)\b"  # words are divided by apostrophes
)


class Address(NamedTuple):
    """path: without origin, query and closing slash, "" when there is none. key: value of the key, "" without.

    Percent escapes are decoded in both.
    """

    path: str
    key: str


class Reach(NamedTuple):
    """How near an answer came: "same-key", "same-path", "neither", or "missing" when nothing was expected."""

    outcome: str
    points: float


def reach(expected: str, payload: object, rule: AddressRule) -> Reach:
    """The best of every expected address against every address of the payload."""
    # Expected results recur in every round.
    read = _remembered_addresses if len(expected) <= CELL_CHARACTERS else expected_addresses
    wanted = read(expected, rule.key)
    if not wanted:
        return Reach("missing", rule.missing)
    offered = [read_address(text, rule.key) for text in field_texts(payload, rule.field)]
    if {address.key for address in wanted} & {address.key for address in offered} - {""}:
        return Reach("same-key", rule.same_key)
    if {address.path for address in wanted} & {address.path for address in offered} - {""}:
        return Reach("same-path", rule.same_path)
    return Reach("neither", rule.neither)


def expected_addresses(text: str, key: str) -> list[Address]:
    """Every address of a text that names the key: `/plan/list?dataKey=A`, or `dataKey=A` alone.

    An address ends at closing brackets, full stops and Korean particles. Addresses that the text excludes
    ("A가 아니라 B", "A로 이동하지 않는다") are left out.
    """
    text = normalise(text)
    if key not in text:
        return []
    spaced, parameter = _parameter_patterns(key)
    text = spaced.sub(lambda _: f"{key}=", _MARKDOWN_ESCAPE.sub(r"\1", _AMPERSAND.sub("&", text)))
    addresses = []
    for line in text.splitlines():
        words = [*_WORD.finditer(line)]
        for number, match in enumerate(words, start=1):
            found = parameter.search(word := match[0])
            if found is None:
                continue
            before = line[max(0, match.start() - _BEFORE_CHARACTERS) : match.start()]
            if not _is_excluded(before, word, " ".join(after[0] for after in words[number : number + 4])):
                read = (_read_in_prose(one, key) for one in _without_ending(_inner(word, found.start()), parameter))
                addresses += [address for address in read if address.key]
    return addresses


_remembered_addresses = lru_cache(maxsize=4096)(expected_addresses)


def read_address(text: str, key: str) -> Address:
    """Path and key of one address; case counts."""
    text = _without_origin(_AMPERSAND.sub("&", normalise(text)))
    before, mark, query = text.partition("?")
    found = _parameter(query if mark else text, key)
    path = before.partition("#")[0].rstrip("/") if mark or not found else ""
    return Address(_decoded(path), found)


@lru_cache(maxsize=64)
def _parameter_patterns(key: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The key with its `=`: before a value that is set off by spaces or quotation marks, and as part of an address."""
    name = re.escape(key)
    spaced = rf"""(?<![\w.-]){name}[ \t]*=[ \t]*["'`“‘]?(?=[A-Za-z0-9_%])"""
    return re.compile(spaced), re.compile(rf"(?<![A-Za-z0-9_.-]){name}=")


def _is_excluded(before: str, word: str, after: str) -> bool:
    return (
        _BEFORE_EXCLUDED.search(before) is not None
        or (not word.isascii() and _EXCLUDED_END.search(word[-_PARTICLE_CHARACTERS:]) is not None)
        or (not word.endswith((".", "!", "?")) and _AFTER_EXCLUDED.match(after) is not None)
    )


def _inner(word: str, at: int) -> str:
    """The address in a word of prose whose key starts at `at`, without the brackets around it."""
    query = word.rfind("?", 0, at)
    start, head = (0, query) if query >= 0 else (at, at)
    opened: list[int] = []
    for place, sign in enumerate(word):
        if place == head and opened:
            start = max(start, opened[-1] + 1)
            opened.clear()
        if sign in "([{":
            opened.append(place)
        elif sign in ")]}":
            if opened:
                opened.pop()
            elif place > head:
                return word[start:place]
    return word[start:]


def _without_ending(word: str, parameter: re.Pattern[str]) -> list[str]:
    """The word without full stops and without the particle at its end.

    Several readings where Hangul may as well belong to the key: a particle after Hangul, and Hangul after ASCII.
    """
    word = word.rstrip(_STOPS)
    if word.isascii():
        return [word]
    particle = _PARTICLE.search(word[-_PARTICLE_CHARACTERS:])
    stem = word if particle is None else word[: -len(particle[0])].rstrip(_STOPS)
    if stem.endswith("="):
        return [word]
    found = parameter.search(stem)
    glued = None if found is None else _GLUED.match(stem, found.end())
    if glued is not None:
        return [stem[: glued.end()], stem]
    if particle is None or not _HANGUL.match(stem[-1:]):
        return [stem]
    return [word, stem] if _HANGUL.match(stem[-2:]) else [word]


def _read_in_prose(word: str, key: str) -> Address:
    """The address that a word ends with: prose may be written before its first slash."""
    path, found = read_address(word, key)
    slash = path.find("/")
    return Address(path[slash:] if slash > 0 and path[slash - 1] not in _NO_PREFIX else path, found)


def _without_origin(text: str) -> str:
    """The text without its first `scheme://host`, or without the host that it starts with."""
    after = 0
    while (at := text.find(_MARK, after)) >= 0:
        scheme = text[after:at]
        scheme = scheme[len(scheme.rstrip(_SCHEME)) :].lstrip(_NO_START)
        after = at + len(_MARK)
        if scheme:
            host = _HOST.match(text, after)
            return text[: at - len(scheme)] + text[host.end() if host else after :]
    bare = _BARE_HOST.match(text)
    return text[bare.end() :] if bare else text


def field_texts(value: object, field: str) -> Iterator[str]:
    """Texts of every field of this name at any depth, at most 1,000."""
    left = [value]
    found = 0
    while left and found < _MAX_FOUND:
        value = left.pop()
        if isinstance(value, dict):
            text = value.get(field)
            if isinstance(text, str) and text.strip():
                found += 1
                yield text
            left += value.values()
        elif isinstance(value, list):
            left += value


def _parameter(query: str, key: str) -> str:
    return next(_values_of_key(re.split(r"[&#]", query), key), "")


def _values_of_key(parts: Iterable[str], key: str) -> Iterator[str]:
    for part in parts:
        name, equals, value = part.partition("=")
        if equals and name.strip() == key and value.strip():
            yield _decoded(value.strip(), is_query=True)


def _decoded(text: str, *, is_query: bool = False) -> str:
    """The text without percent escapes; as it is when they are not UTF-8."""
    if is_query:
        text = text.replace("+", " ")
    if "%" not in text:
        return text
    data = _PERCENT_ESCAPE.sub(lambda found: bytes((int(found[1], 16),)), text.encode(errors="surrogatepass"))
    try:
        return normalise(data.decode())
    except UnicodeDecodeError:
        return text
