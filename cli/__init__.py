"""What the door for programs (`scorewatch/`) uses of the commands; of the other packages none may."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from cli.addresses import choose_items
    from cli.comparison import folder_of_report, load_sides, one_set, unreadable
    from cli.gate import exit_code, load_rules
    from cli.kept_files import refuse_own_inputs
    from cli.localised import language_of, speak, spoken
else:
    __getattr__ = door(__name__)
