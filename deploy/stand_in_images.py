"""The images that `stand_in.py` runs: bases that the engine lacks, made of a minimal Debian, and our own.

Also how both ask the engine. The settings of pip on this machine (index, certificate) are written into a stand-in,
because the build needs them and the Dockerfile names none; so never push what is built here.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from images import FILES, IMAGE, ROOT

PROJECT = "scorewatch-stand-in"
DEBIAN = f"{PROJECT}-debian"
SUITE = "bookworm"
PACKAGES = "ca-certificates,python3-venv,redis-server"
# What makes the Debian system behave like the base of this name.
STEPS = {
    "python": "RUN ln -s /usr/bin/python3 /usr/local/bin/python",
    "valkey/valkey": """\
RUN for name in server cli; do ln -s /usr/bin/redis-$name /usr/local/bin/valkey-$name; done
RUN useradd --system valkey && install --directory --owner=valkey --group=valkey /data""",
}
OURS = {"scorewatch": "scorewatch", "scorewatch-flower": "flower"}  # image: stage of the Dockerfile
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


class CannotError(Exception):
    """This machine lacks something; the text says what."""


class WrongError(Exception):
    """The image or the file does not do what is written about it."""


def output(*command: str | Path, **options: Any) -> str:
    """What a command prints. Raises WrongError with the end of its messages when it fails."""
    run: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 -- of our own
        command, capture_output=True, text=True, check=False, **options
    )
    if run.returncode != 0:
        tail = (run.stdout + run.stderr)[-3000:]
        raise WrongError(f"{' '.join(map(str, command[:6]))} … ended with {run.returncode}:\n{tail}")
    return run.stdout


def docker(*arguments: str, **options: Any) -> str:
    """What `docker` prints."""
    return output("docker", *arguments, **options)


def succeeds(*command: str | Path) -> bool:
    """Whether a command ends with 0; one that is not there does not."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 -- of our own
    except OSError:
        return False


def has_image(name: str) -> bool:
    """Whether the engine has an image of this name."""
    return succeeds("docker", "image", "inspect", name)


def say(text: str) -> None:
    """A line at once, also into a file."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say a step and its duration when it has succeeded."""
    start = time.monotonic()
    yield
    say(f"{what} ({time.monotonic() - start:.0f} s)")


def compose_command() -> list[str | Path]:
    """Docker Compose: the plugin, else the program in the virtual environment or on the path."""
    if succeeds("docker", "compose", "version"):
        return ["docker", "compose"]
    beside = Path(sys.executable).parent / "docker-compose"
    found = beside if beside.exists() else shutil.which("docker-compose")
    if found is None:
        raise CannotError("Docker Compose is not installed")
    return [found]


def missing_bases() -> list[str]:
    """The images of the two files that the engine does not have. Raises CannotError where no stand-in can be made."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in FILES]
    bases = [match[0].removeprefix(match["before"]) for text in texts for match in IMAGE.finditer(text)]
    missing = [base for base in bases if not has_image(base)]
    pinned = [base for base in missing if "@" in base]
    if pinned:
        raise CannotError(f"pinned by digest, which no stand-in has; pull first: {', '.join(pinned)}")
    if missing and shutil.which("debootstrap") is None:
        raise CannotError(f"the engine has no {', '.join(missing)}, and there is no debootstrap to make stand-ins")
    return missing


def check_machine() -> None:
    """Raises CannotError when this machine has no engine, or one that is in use for the same."""
    if shutil.which("docker") is None:
        raise CannotError("docker is not installed")
    if not succeeds("docker", "info"):
        raise CannotError("no engine answers `docker info`")
    if os.geteuid() != 0:
        raise CannotError("not root")
    taken = [image for image in OURS if has_image(image)]
    if taken:
        raise CannotError(f"the engine has these images, which would be replaced: {', '.join(taken)}")


def pip_settings() -> dict[str, str]:
    """The settings of pip on this machine, files and environment; none where Python has no pip."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- of our own
    found: dict[str, str] = {}
    for line in sorted(run.stdout.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        found[name.rpartition(".")[2]] = ast.literal_eval(value)
    return found


def write_pip_settings(root: Path) -> None:
    """Make pip in the system ask the same index, and copy the files that its settings name."""
    settings = pip_settings()
    for path in (Path(word) for value in settings.values() for word in value.split()):
        if path.is_absolute() and path.is_file():
            copy = root / path.relative_to("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    lines = ["[global]", *(f"{name} = {value}" for name, value in settings.items())]
    (root / "etc" / "pip.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")


def import_debian(folder: Path) -> None:
    """A minimal Debian system as an image."""
    root = folder / "debian"
    mirror = [address] if (address := os.environ.get("DEBIAN_MIRROR")) else []
    try:
        output("debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, root, *mirror)
    except WrongError as error:
        raise CannotError(str(error)) from error
    write_pip_settings(root)
    archive = folder / "debian.tar"
    output("tar", "--directory", root, "--one-file-system", "--exclude=./var/cache/apt", "-cf", archive, ".")
    shutil.rmtree(root)
    docker("import", f"--change=LABEL {PROJECT}=1", str(archive), DEBIAN)
    archive.unlink()


def make_stand_ins(missing: list[str], folder: Path) -> None:
    """The bases that the engine lacks, under their own tags."""
    with timed(f"Debian {SUITE} imported"):
        import_debian(folder)
    for image in missing:
        docker("build", "--tag", image, "-", input=f"FROM {DEBIAN}\n{STEPS[image.partition(':')[0]]}\n")
        say(f"stand-in for {image}")


def build() -> None:
    """Both images from the Dockerfile, with the network of this machine and its proxies."""
    proxies = [f"--build-arg={name}" for name in PROXIES if name in os.environ]
    for image, stage in OURS.items():
        with timed(f"{image} built from the Dockerfile"):
            docker("build", "--network=host", *proxies, f"--tag={image}", f"--target={stage}", str(ROOT))
