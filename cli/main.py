"""The entry point: sub-commands imported late, and exit codes from the error tree.

0 fine, 1 some input had problems, 2 usage or settings, 3 a rule of a gate failed, 4 nothing to compare, or a rule that
cannot be decided. What a command does is left to its own module.
"""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from importlib import import_module
from typing import Any, NoReturn

import click

from cli.commands import COMMANDS
from cli.localised import Group, Option, language_of, language_option, option, show_error, speak, spoken
from cli.process_exit import EXIT_PROBLEMS, EXIT_USAGE, exit_code_of, interruptible, leave_with
from config import CONFIG_NAME, SettingsError
from scoring import InputError, Problem, ScorewatchError

EXIT_BROKEN_PIPE = 141  # 128 + SIGPIPE

_OUTPUT_FAULTS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class LazyGroup(Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- signature of the base class
        """Command names in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now; None when there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"cli.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        t = spoken()
        with formatter.section(t("usage.commands-title")):
            formatter.write_dl([(name, t(key)) for name, key in COMMANDS.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments, which prints the help where it is asked for."""
        with _quiet_broken_pipe():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _quiet_broken_pipe():
            return super().invoke(ctx)


@click.command(
    cls=LazyGroup,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
    help="help.main",
)
@option("--config", type=click.Path(), metavar="FILE", help="option.config")
@language_option
@click.version_option(
    None, "--version", package_name="scorewatch", message="%(prog)s %(version)s", cls=Option, help="option.version"
)
@click.pass_context
def cli(context: click.Context, config: str | None) -> None:
    """Hand the named settings file on: the workers that `up` starts have to read the same one."""
    if config is not None:
        context.with_resource(_environment(CONFIG_NAME, config))


def run() -> NoReturn:
    """Run `scorewatch` as the process that this is."""
    leave_with(lambda: interruptible(main))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `scorewatch` and return its exit code. arguments: None takes those of the process."""
    _open_closed_streams()
    _use_utf8()
    return copy_context().run(_run, arguments)  # what is set in there ends with it: the language that is spoken


def _run(arguments: Sequence[str] | None) -> int:
    speak(language_of(sys.argv[1:] if arguments is None else arguments))
    try:
        code = _run_command(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return EXIT_BROKEN_PIPE
    except OSError as error:
        if error.errno not in _OUTPUT_FAULTS or error.filename is not None:
            raise
        _drop_output()
        for line in _describe(_unwritten_output(error)):
            click.echo(line, err=True)
        return EXIT_PROBLEMS
    return code


def _run_command(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(args=arguments, prog_name="scorewatch", standalone_mode=False)
    except click.Abort as error:
        cause = error.__cause__
        return exit_code_of(cause) if isinstance(cause, KeyboardInterrupt) else EXIT_PROBLEMS
    except click.ClickException as error:
        show_error(error)
        return error.exit_code
    except ScorewatchError as error:
        for line in _describe(error):
            click.echo(line, err=True)
        return EXIT_USAGE if _is_of_settings(error) else EXIT_PROBLEMS
    return result if isinstance(result, int) else 0


def _is_of_settings(error: ScorewatchError) -> bool:
    """Is it about what was typed or set, and not about what is in a file?"""
    if isinstance(error, SettingsError):
        return True
    from config import RubricFolderError, UnknownProfileError

    return isinstance(error, (RubricFolderError, UnknownProfileError))


def _describe(error: ScorewatchError) -> list[str]:
    """Lines for a person; control characters in what a file held never reach the terminal."""
    if isinstance(error, InputError):
        from reporting.wording import describe

        return [describe(problem, spoken().language) for problem in error.problems]
    from reporting.wording import in_words

    lines = error.messages if isinstance(error, SettingsError) else (str(error),)
    return [_printable(in_words(line, spoken())) for line in lines]


def _unwritten_output(error: OSError) -> InputError:
    """Standard output goes to a file on a full disk. Errors of other files carry their names."""
    from reporting.wording import system_reason

    return InputError((Problem(code="file-not-written", source="stdout", values={"reason": system_reason(error)}),))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


@contextlib.contextmanager
def _quiet_broken_pipe() -> Iterator[None]:
    """Leave quietly when the reader went away (`| head`); click itself would exit with 1."""
    try:
        yield
    except BrokenPipeError:
        _drop_output()
        raise click.exceptions.Exit(EXIT_BROKEN_PIPE) from None


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _open_closed_streams() -> None:
    """A process that was started without a stream (`>&-`) writes to nothing in its place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))


def _use_utf8() -> None:
    """Korean text under `LANG=C` and names that are no UTF-8 must print, not raise."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _drop_output() -> None:
    """Point standard output at nothing, so that the interpreter's own flush at exit stays quiet."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run()
