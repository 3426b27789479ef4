"""English texts of the terminal and of the system's reasons, see `console_ko`."""

from __future__ import annotations

from collections.abc import Mapping

CONSOLE_EN: Mapping[str, str] = {
    "system.ENOENT": "No such file or directory",
    "system.EACCES": "Permission denied",
    "system.EPERM": "Operation not permitted",
    "system.ENOSPC": "No space left on device",
    "system.EDQUOT": "Disk quota exceeded",
    "system.EISDIR": "Is a directory",
    "system.ENOTDIR": "Not a directory",
    "system.EEXIST": "File exists",
    "system.EROFS": "Read-only file system",
    "system.EIO": "Input/output error",
    "system.ENAMETOOLONG": "File name too long",
    "system.ENOTEMPTY": "Directory not empty",
    "system.EBUSY": "Device or resource busy",
    "system.ELOOP": "Too many levels of symbolic links",
    "system.EMFILE": "Too many open files",
    "system.ENFILE": "Too many open files in system",
    "system.ENOMEM": "Cannot allocate memory",
    "system.EFBIG": "File too large",
    "system.EXDEV": "Invalid cross-device link",
    "system.ESTALE": "Stale file handle",
    "system.ETIMEDOUT": "Connection timed out",
    "system.EADDRINUSE": "Address already in use",
    "system.EADDRNOTAVAIL": "Cannot assign requested address",
    "system.ECONNREFUSED": "Connection refused",
    "system.not-regular": "not a regular file",
}
