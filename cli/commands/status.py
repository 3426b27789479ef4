"""`scorewatch status`: what waits, what is being scored, what came out last, and the problems with their remedy.

It is read from the folders, whether a service runs or not.
"""

import click

from cli.commands.options import verbose_option
from cli.localised import Command, language_option, load, option


@click.command(cls=Command, help="help.status")
@option("--json", "as_json", is_flag=True, help="option.json")
@verbose_option
@language_option
def command(*, as_json: bool, verbose: bool) -> int:
    """Show every set, and what the watcher and the queue are doing."""
    settings = load()
    from cli.service import print_overview  # a wrong setting is said before all this is imported

    return print_overview(settings, as_json=as_json, verbose=verbose)
