"""Korean texts of the terminal and of the system's reasons; `console_en` has the same keys."""

from __future__ import annotations

from collections.abc import Mapping

CONSOLE_KO: Mapping[str, str] = {
    "system.ENOENT": "그런 파일이나 폴더가 없음",
    "system.EACCES": "권한이 없음",
    "system.EPERM": "허용되지 않은 작업",
    "system.ENOSPC": "디스크에 남은 공간이 없음",
    "system.EDQUOT": "디스크 할당량을 넘음",
    "system.EISDIR": "파일이 아니라 폴더임",
    "system.ENOTDIR": "폴더가 아님",
    "system.EEXIST": "같은 이름의 파일이 이미 있음",
    "system.EROFS": "읽기 전용 파일 시스템",
    "system.EIO": "입출력 오류",
    "system.ENAMETOOLONG": "파일 이름이 너무 긺",
    "system.ENOTEMPTY": "폴더가 비어 있지 않음",
    "system.EBUSY": "다른 곳에서 쓰는 중",
    "system.ELOOP": "심볼릭 링크가 끝없이 이어짐",
    "system.EMFILE": "열린 파일이 너무 많음",
    "system.ENFILE": "시스템 전체에 열린 파일이 너무 많음",
    "system.ENOMEM": "메모리가 모자람",
    "system.EFBIG": "파일이 너무 큼",
    "system.EXDEV": "다른 파일 시스템으로 옮길 수 없음",
    "system.ESTALE": "원격 폴더의 파일이 바뀌었거나 없어짐",
    "system.ETIMEDOUT": "시간 안에 답이 없음",
    "system.EADDRINUSE": "이미 쓰는 주소",
    "system.EADDRNOTAVAIL": "이 기계의 주소가 아님",
    "system.ECONNREFUSED": "연결이 거부됨",
    "system.not-regular": "보통 파일이 아님",
}
