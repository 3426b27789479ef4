"""The environments that render this package's templates, and the templates as compiled once for every process.

Compiled templates lie beside Python's own compiled modules and under the same rules: nothing is written where the
folder is read-only or the interpreter was told not to. They spare a process 0.15 s.

    python -m reporting.templating      # after an installation: compile them all, as `compileall` does with modules
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket


def template_environment(
    owner: str,
    filters: Mapping[str, object],
    *,
    autoescape: bool,
    finalize: Callable[[object], str] | None = None,
) -> jinja2.Environment:
    """An environment over this package's templates.

    owner: path of the module that the filters and `finalize` belong to; compiled templates are made anew when it
    changes, because what is constant in a template is passed through them while it is compiled.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reporting", "templates"),
        bytecode_cache=_CompiledTemplates(owner),
        finalize=finalize,
        undefined=jinja2.StrictUndefined,
        autoescape=autoescape,  # noqa: S701 -- Markdown escapes by `finalize`
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters.update(filters)
    return environment


class _CompiledTemplates(jinja2.BytecodeCache):
    """One file a template; what was made from anything else than stands there now is made anew."""

    def __init__(self, owner: str) -> None:
        states = [path.stat() for path in (Path(owner), Path(__file__))]
        changed = [(state.st_mtime_ns, state.st_size) for state in states]
        self._made_by = f"{jinja2.__version__} {importlib.util.MAGIC_NUMBER.hex()} {changed}"

    def get_bucket(self, environment: jinja2.Environment, name: str, filename: str | None, source: str) -> Bucket:
        """The compiled template, or an empty place for it. Its key is the file that it belongs in."""
        key = importlib.util.cache_from_source(filename or name)
        bucket = Bucket(environment, key, self.get_source_checksum(source))
        self.load_bytecode(bucket)
        return bucket

    def get_source_checksum(self, source: str) -> str:
        """Identity of everything that the compiled template hangs on."""
        return sha256(f"{self._made_by}\n{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket from its file where there is a fitting one; a damaged one counts as none."""
        with suppress(OSError, EOFError, ValueError, TypeError):
            checksum, _, code = Path(bucket.key).read_bytes().partition(b"\n")
            if checksum == bucket.checksum.encode():
                bucket.code = marshal.loads(code)  # noqa: S302 -- lies where Python's own compiled modules lie

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the file whole or not at all: other processes may be reading it."""
        if sys.dont_write_bytecode:
            return
        path = Path(bucket.key)
        staged = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(f"{bucket.checksum}\n".encode() + marshal.dumps(bucket.code))
            staged.replace(path)


def compile_all() -> None:
    """Compile every template of the package."""
    from reporting import html, markdown

    for owner, ending in ((html, ".html.j2"), (markdown, ".md.j2")):
        environment = owner.environment()
        for name in environment.list_templates(filter_func=lambda name, ending=ending: name.endswith(ending)):
            environment.get_template(name)


if __name__ == "__main__":
    sys.dont_write_bytecode = False
    compile_all()
