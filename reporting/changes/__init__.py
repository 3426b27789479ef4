"""What changed since the version before."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.changes.pages import changes_page, version_name, versions_chart
else:
    __getattr__ = door(__name__)
