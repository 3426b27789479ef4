"""The Jinja2 environments of this package's templates, with a bytecode cache.

An environment is of one language: the text of `t(key)` is compiled into the template, because a call per text would
take a third of a report's rendering. Bytecode is kept in `__pycache__` as Python's is: not where the folder is
read-only, nor under `PYTHONDONTWRITEBYTECODE`. It saves a process 0.15 s.
"""

from __future__ import annotations

import importlib.util
import marshal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import jinja2
from jinja2 import nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from reporting.store.stored_file import write_atomic
from texts import texts
from texts.compiled import stamp


def template_environment(
    owner: str,
    filters: Mapping[str, object],
    *,
    language: str,
    autoescape: bool,
    finalize: Callable[[object], str] | None = None,
) -> jinja2.Environment:
    """An environment over this package's templates, with the texts of a language.

    owner: path of the module with the filters and `finalize`. Jinja2 applies them to constants at compile time, so a
    change of that module invalidates the bytecode.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reporting.pages", "templates"),
        bytecode_cache=_CompiledTemplates(owner, language),
        finalize=finalize,
        undefined=jinja2.StrictUndefined,
        autoescape=autoescape,  # noqa: S701 -- Markdown escapes by `finalize`
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters.update(filters, t=texts(language))
    environment.code_generator_class = _LanguageGenerator
    return environment


class _LanguageGenerator(CodeGenerator):
    """Compiles `t(...)` as a filter: Jinja2 evaluates filters of constants at compile time, but not calls."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 -- Jinja's name
        super().visit_Template(_TextFilters().visit(node), frame)


class _TextFilters(NodeTransformer):
    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 -- Jinja's name
        """`t(key, n=…)` as `key|t(n=…)`."""
        call = self.generic_visit(node)
        if not isinstance(node.node, nodes.Name) or node.node.name != "t":
            return call
        return nodes.Filter(
            node.args[0], "t", node.args[1:], node.kwargs, node.dyn_args, node.dyn_kwargs, lineno=node.lineno
        )


class _CompiledTemplates(jinja2.BytecodeCache):
    """Bytecode cache, invalidated when a template, a text, a filter or a version changes.

    `jinja2.FileSystemBytecodeCache` fails on a read-only folder and a damaged file, and its files are readable by their
    owner only, so that bytecode of an installation by root would serve nobody else.
    """

    def __init__(self, owner: str, language: str) -> None:
        self._language = language
        states = [path.stat() for path in (Path(owner), Path(__file__))]
        changed = [(state.st_mtime_ns, state.st_size) for state in states]
        self._made_by = f"{jinja2.__version__} {importlib.util.MAGIC_NUMBER.hex()} {changed} {stamp()!r}"

    def get_bucket(self, environment: jinja2.Environment, name: str, filename: str | None, source: str) -> Bucket:
        """The bytecode of a template, or an empty bucket. Its key is the path of its file."""
        key = importlib.util.cache_from_source(f"{filename or name}.{self._language}.j2")
        bucket = Bucket(environment, key, self.get_source_checksum(source))
        self.load_bytecode(bucket)
        return bucket

    def get_source_checksum(self, source: str) -> str:
        """Digest of everything that the bytecode depends on."""
        return sha256(f"{self._made_by}\n{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket from its file; a damaged or outdated file counts as none."""
        with suppress(OSError, EOFError, ValueError, TypeError):
            checksum, _, code = Path(bucket.key).read_bytes().partition(b"\n")
            if checksum == bucket.checksum.encode():
                bucket.code = marshal.loads(code)  # noqa: S302 -- in the folder of Python's own bytecode

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Replace the file as a whole: other processes may be reading it."""
        if sys.dont_write_bytecode:
            return
        path = Path(bucket.key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, f"{bucket.checksum}\n".encode() + marshal.dumps(bucket.code))
