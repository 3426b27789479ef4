"""Web pages that were saved under the name of a result file: a login, an error, or another page (docs/scoring.md)."""

from __future__ import annotations

import re

from scoring.problems import Problem, refused
from scoring.text import cut

_PAGE = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>\s*([^<]*?)\s*</title|<h1[^>]*>\s*([^<]*?)\s*</h1", re.IGNORECASE)
_XML_ERROR = re.compile(r"<(?:\w+:)?Error\b[^>]*>.*?<(?:\w+:)?Code>\s*([^<]*?)\s*<", re.IGNORECASE | re.DOTALL)
_PASSWORD = re.compile(r"""type\s*=\s*["']?password""", re.IGNORECASE)
_LOGIN = re.compile(
    r"log[\s_-]?[io]n|sign[\s_-]?[io]n|logon|single sign|\bsso\b|saml|oauth|session expired"
    r"|로그인|로그 인|인증이 필요|본인 ?인증|세션이 만료|세션 만료|ログイン|登录|登入",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:4\d\d|5\d\d)\b|error|forbidden|denied|unauthori[sz]ed|not found|unavailable|gateway|expired"
    r"|오류|에러|권한이 없|찾을 수 없|점검 ?중|접근이 거부|만료",
    re.IGNORECASE,
)


def web_page(text: str) -> Problem | None:
    """What a file that starts with this text is, None where it is no web page, or one that holds a table."""
    if (failed := _XML_ERROR.search(text)) is not None:
        return _page("error", failed[1])
    if _PAGE.search(text) is None:
        return None
    has_password = _PASSWORD.search(text) is not None
    if not has_password and _TABLE.search(text):
        return None
    title = next((one for match in _TITLE.finditer(text) for one in match.groups() if one), "")
    if has_password or _LOGIN.search(text):
        return _page("login", title)
    return _page("error" if _ERROR.search(title or text) else "other", title)


def _page(kind: str, title: str) -> Problem:
    return refused("web-page", found=cut(" ".join(title.split())) or "—", kind=kind)
