from pathlib import Path

import pytest

from watcher.events import shared_type

TABLE = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /data/share rw - nfs4 server:/x rw
31 22 0:41 / /data/with\\040blank rw - cifs //server/x rw
32 22 0:42 / /data/ssh rw - fuse.sshfs host: rw
33 30 0:43 / /data/share/local rw - tmpfs tmpfs rw
34 22 0:44 / /data/over rw - nfs server:/y rw
35 22 0:45 / /data/over rw - ext4 /dev/sdb1 rw
36 22 0:46 / /data/공유\u3000폴더 rw - nfs4 server:/x rw
37 22 0:47 / /data/no\u00a0break rw - cifs //server/x rw
38 22 0:48 / /data/line\x85\u2028break rw - nfs server:/x rw
"""


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        pytest.param("/data/share", "nfs4", id="the-mount-itself"),
        pytest.param("/data/share/a/b", "nfs4", id="below"),
        pytest.param("/data/shared", None, id="only-a-prefix-of-the-name"),
        pytest.param("/data/share/local/x", None, id="local-mount-inside"),
        pytest.param("/data/with blank/x", "cifs", id="escaped-blank"),
        pytest.param("/data/공유\u3000폴더/x", "nfs4", id="ideographic-space"),
        pytest.param("/data/no\u00a0break/x", "cifs", id="no-break-space"),
        pytest.param("/data/line\x85\u2028break", "nfs", id="line-breaks-of-unicode"),
        pytest.param("/data/ssh/x", "fuse.sshfs", id="fuse"),
        pytest.param("/data/over", None, id="last-mount-is-on-top"),
        pytest.param("/home", None, id="root"),
    ],
)
def test_shared_type(folder: str, expected: str | None) -> None:
    assert shared_type(Path(folder), TABLE) == expected
