"""`--where` of a command, and `where` of the Python door: an address of report.html against the items of its report."""

import click

from cli.localised import spoken
from reporting.data import AddressError
from reporting.runs import Chosen, OtherEngineError, StoredReport


def choose_items(report: StoredReport, where: str) -> Chosen:
    """What the address leaves. Raises click.UsageError where it says something else than the page of the report has.

    Also UnreadableRunError.
    """
    t = spoken()
    try:
        return report.choose(where)
    except AddressError as error:
        raise click.UsageError(t(f"where.{error.key}", **error.values)) from None
    except OtherEngineError as error:
        raise click.UsageError(t("where.other-engine", engine=str(error.engine))) from None
