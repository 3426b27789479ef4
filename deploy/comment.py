"""`python3 deploy/comment.py SUMMARY.md`: keep one comment of a pull request, found by its marker, up to date.

Runs in a job of GitHub Actions with the standard library alone. Without the right to write, as for a pull request from
a fork, it says so as a warning and fails nothing: the summary of the job has the same text.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARKER = "<!-- scorewatch -->"
LONGEST = 60_000  # characters; GitHub takes 65,536
PAGE = 100


def main(summary: Path) -> int:
    """Write the comment; 0 also where that is not allowed."""
    if not summary.exists():
        print("::warning::scorewatch: there is no summary to comment with")
        return 0
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())
    issue = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    text = summary.read_text(encoding="utf-8")
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition("\n")[0] + "\n\n…"
    body = {"body": f"{MARKER}\n{text}"}
    try:
        own = next(_own(f"{issue}/{event['pull_request']['number']}/comments"), None)
        if own is None:
            _ask("POST", f"{issue}/{event['pull_request']['number']}/comments", body)
        else:
            _ask("PATCH", f"{issue}/comments/{own}", body)
    except urllib.error.HTTPError as error:
        if error.code not in {401, 403, 404}:
            raise
        print(f"::warning::scorewatch: the comment was not written ({error.code}); give the job pull-requests: write")
    return 0


def _own(comments: str) -> Iterator[int]:
    """Ids of the comments that begin with the marker and that a bot wrote: anybody may write the marker."""
    page = 1
    while found := _ask("GET", f"{comments}?per_page={PAGE}&page={page}"):
        yield from (one["id"] for one in found if one["body"].startswith(MARKER) and one["user"]["type"] == "Bot")
        page += 1


def _ask(method: str, path: str, content: object = None) -> Any:
    request = urllib.request.Request(  # noqa: S310 -- the address of the API, as the job has it
        os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
        method=method,
        data=None if content is None else json.dumps(content).encode(),
        headers={"Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 -- the same
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
