"""Pin the images of Dockerfile and docker-compose.yml by digest, or renew the pins: `make pin-images`.

Asks `docker buildx imagetools inspect` for the digest of each tag as it is now, and writes it behind the tag
(`python:3.13-slim-bookworm@sha256:…`). Nothing is written unless every digest was found. To take another version,
change the tag, remove what is behind it, and run this again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("Dockerfile", "docker-compose.yml")
# An image of a registry: `ARG PYTHON_IMAGE=python:3.13…` and `image: valkey/valkey:8.1…`; ours have no tag.
IMAGE = re.compile(
    r"^(?P<before>ARG [A-Z]+_IMAGE=| +image: )(?P<tag>[a-z0-9./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?$", re.MULTILINE
)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def images(text: str) -> Iterator[str]:
    """The images of a file, with their tags and without digests."""
    return (match["tag"] for match in IMAGE.finditer(text))


def pinned(text: str, digests: dict[str, str]) -> str:
    """The text with the digest behind each tag."""
    return IMAGE.sub(lambda match: f"{match['before']}{match['tag']}@{digests[match['tag']]}", text)


def digest_of(image: str) -> str:
    """The digest of a tag in its registry. Raises OSError or CalledProcessError when docker does not say."""
    command = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 -- tags of our own files
    found = run.stdout.strip()
    if DIGEST.fullmatch(found) is None:
        raise OSError(f"docker gave no digest of {image}: {found[:80]}")
    return found


def main(root: Path = ROOT) -> int:
    """Pin all images; 1 when a digest could not be found."""
    texts = {root / name: (root / name).read_text(encoding="utf-8") for name in FILES}
    digests: dict[str, str] = {}
    for image in sorted({image for text in texts.values() for image in images(text)}):
        try:
            digests[image] = digest_of(image)
        except (OSError, subprocess.CalledProcessError) as error:
            reason = error.stderr.strip() if isinstance(error, subprocess.CalledProcessError) else str(error)
            sys.stderr.write(f"{image}: {reason}\nnothing was changed\n")
            return 1
        sys.stdout.write(f"{image}@{digests[image]}\n")
    for path, text in texts.items():
        path.write_text(pinned(text, digests), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
