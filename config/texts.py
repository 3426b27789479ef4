"""What settings and their errors say to people, by key and language; both languages have the same keys.

`meaning.<setting>` is a cell of the table in docs/settings.md. `allowed.<kind>` has no full stop at its end.
"""

from __future__ import annotations

from collections.abc import Mapping

from config.languages import DEFAULT_LANGUAGE, LANGUAGES

_KO: Mapping[str, str] = {
    "meaning.watch": "지켜보는 폴더",
    "meaning.out": "보고서를 두는 폴더",
    "meaning.state": "이 기계만의 상태 폴더(브로커, 캐시); 지워도 됨",
    "meaning.broker_url": "Redis/Valkey 주소; 없으면 내장 브로커를 띄움",
    "meaning.settle_seconds": "파일이 이만큼 변하지 않으면 읽음",
    "meaning.set_quiet_seconds": "하위 폴더 세트가 조용해야 하는 시간",
    "meaning.rescan_seconds": "폴더 전체를 다시 훑는 간격. 파일이 아주 많으면 두 배까지 늘어남",
    "meaning.observer": "파일 감시 방식: `auto`, `native`, `polling`",
    "meaning.workers": "채점 프로세스 수; 없으면 코어 수",
    "meaning.language": "보고서와 메시지의 언어(ko, en)",
    "meaning.history_versions": "세트마다 남겨 두는 이전 보고서 수(0이면 남기지 않음)",
    "meaning.task_time_limit_seconds": "작업 하나의 시간 제한(초)",
    "meaning.visibility_timeout_seconds": "끝나지 않은 작업을 다시 내주기까지의 시간(초)",
    "meaning.ignore": "더 무시할 파일 이름 패턴(쉼표로 구분)",
    "meaning.rubrics": "루브릭 문서를 더 읽을 폴더",
    "meaning.strict_fsync": "보고서의 모든 파일을 디스크에 확실히 씀(느림)",
    "meaning.metrics_address": "/healthz와 /metrics를 여는 주소(호스트:포트)",
    "meaning.webhook_url": "세트가 끝날 때마다 JSON을 보낼 주소",
    "meaning.judge_base_url": "평가 모델(OpenAI 호환)의 주소; 없으면 아무것도 보내지 않음",
    "meaning.judge_api_key": "평가 모델의 API 키; 어디에도 보이지 않음",
    "meaning.judge_model": "평가 모델의 이름; 주소가 있으면 꼭 필요함",
    "meaning.judge_votes": "문항마다 묻는 횟수; 가운데 등급이 쓰임",
    "meaning.judge_concurrency": "평가 모델에 한꺼번에 보내는 요청 수",
    "meaning.judge_timeout_seconds": "평가 모델의 답을 기다리는 시간(초)",
    "meaning.judge_compare": "기록된 등급이 있는 문항도 평가해 일치도를 보임",
    "meaning.log_level": "로그 수준: `debug`, `info`, `warning`, `error`",
    "allowed.seconds": "0 이상 86400 이하의 초를 숫자로 적으세요",
    "allowed.positive-seconds": "0보다 크고 86400 이하인 초를 숫자로 적으세요",
    "allowed.count": "1 이상 10000 이하의 정수를 적으세요",
    "allowed.votes": "1 이상 15 이하의 정수를 적으세요",
    "allowed.requests": "1 이상 100 이하의 정수를 적으세요",
    "allowed.versions": "0 이상 10000 이하의 정수를 적으세요",
    "allowed.folder": "폴더 경로를 적으세요",
    "allowed.bool": "true 또는 false를 적으세요",
    "allowed.broker": "{schemes} 중 하나로 시작해야 합니다",
    "allowed.observer": "auto, native, polling 중 하나를 적으세요",
    "allowed.language": "{languages} 중 하나를 적으세요",
    "allowed.patterns": "비어 있지 않은 패턴을 적으세요",
    "allowed.address": "127.0.0.1:9464처럼 호스트와 포트를 적으세요",
    "allowed.web-address": "http:// 또는 https://로 시작하는 주소를 공백, 사용자, 암호 없이 ASCII 글자로 적으세요(한글은 %EA%B0%80처럼)",
    "allowed.base-url": "http:// 또는 https://로 시작하고 사용자, 암호, ?, #이 없는 주소를 적으세요",
    "allowed.header": "공백과 제어 문자가 없는 ASCII 글자로 적으세요",
    "allowed.model": "모델 이름을 적으세요",
    "allowed.log-level": "debug, info, warning, error 중 하나를 적으세요",
    "wrong": "설정 {name}: {found}은(는) 쓸 수 없습니다. {allowed}.",
    "secret": "값(비밀이라 보이지 않음)",
    "in-source": "{source}의 {name}",
    "environment": "환경 변수 {name}",
    "unknown": "{label}: 모르는 설정입니다. {hint}",
    "retired": "{label}: 이제 설정이 아니며 무시합니다(늘 기본값으로 동작). 지우세요.",
    "likely": "{name}을(를) 뜻하셨나요?",
    "in-the-table": "설정 이름은 docs/settings.md에 있습니다.",
    "missing-file": "설정 파일 {path}: 파일이 없습니다. 경로를 고치거나 파일을 만드세요.",
    "not-toml": "설정 파일 {path}: TOML 형식이 아닙니다({reason}).",
    "unreadable-file": "설정 파일 {path}: 읽을 수 없습니다({reason}).",
    "not-utf8": "UTF-8이 아님, {offset}번째 바이트",
    "conflict": "설정이 서로 맞지 않습니다: {reason}",
    "conflict.visibility": "visibility_timeout_seconds({timeout})는 task_time_limit_seconds({limit})보다 커야 합니다. 그렇지 않으면 실행 중인 작업이 한 번 더 시작됩니다.",
    "conflict.watch-in-out": "watch({watch})가 out({out})과 같거나 그 안에 있습니다. 보고서 폴더는 읽지 않으므로 나누세요.",
    "conflict.state": "state({state})는 이 기계만의 폴더여야 합니다. watch, out, out/.scorewatch와 다른 곳을 적으세요.",
    "conflict.judge-model": "judge_base_url을 적었으면 judge_model에 모델 이름도 적어야 합니다.",
    "conflict.judge-timeout": "judge_timeout_seconds({timeout})의 {factor}배는 task_time_limit_seconds({limit})보다 작아야 합니다. 그렇지 않으면 평가하던 작업이 도중에 끊깁니다.",
}

_EN: Mapping[str, str] = {
    "meaning.watch": "folder that is watched",
    "meaning.out": "folder for the reports",
    "meaning.state": "private folder of this machine (broker, caches); may be deleted",
    "meaning.broker_url": "Redis or Valkey; without one an embedded broker is started",
    "meaning.settle_seconds": "a file unchanged for this long is read",
    "meaning.set_quiet_seconds": "a sub-folder has to be quiet for this long",
    "meaning.rescan_seconds": "the whole folder is compared again this often, up to half as often when it holds very many files",
    "meaning.observer": "`auto`, `native` or `polling`",
    "meaning.workers": "scoring processes; without it one per core",
    "meaning.language": "language of reports and messages: `ko` or `en`",
    "meaning.history_versions": "earlier reports that stay under `history/` of a set; 0 keeps none",
    "meaning.task_time_limit_seconds": "limit of one task",
    "meaning.visibility_timeout_seconds": "an unfinished task is given out again after this",
    "meaning.ignore": "further file name patterns to ignore, comma-separated",
    "meaning.rubrics": "folder with further rubric documents",
    "meaning.strict_fsync": "flush every report file to disk (slow)",
    "meaning.metrics_address": "`host:port` that serves `/healthz` and `/metrics`",
    "meaning.webhook_url": "receives JSON for every set that is done",
    "meaning.judge_base_url": "the judge: an OpenAI-compatible endpoint; without one nothing is sent",
    "meaning.judge_api_key": "its key; never shown",
    "meaning.judge_model": "name of the model; needed with a base URL",
    "meaning.judge_votes": "answers per item; the median level counts",
    "meaning.judge_concurrency": "requests to the judge at once",
    "meaning.judge_timeout_seconds": "how long one of its answers may take",
    "meaning.judge_compare": "judge items with a recorded level as well, and show how far the two agree",
    "meaning.log_level": "`debug`, `info`, `warning` or `error`",
    "allowed.seconds": "Write seconds as a number from 0 to 86400",
    "allowed.positive-seconds": "Write seconds as a number above 0, at most 86400",
    "allowed.count": "Write a whole number from 1 to 10000",
    "allowed.votes": "Write a whole number from 1 to 15",
    "allowed.requests": "Write a whole number from 1 to 100",
    "allowed.versions": "Write a whole number from 0 to 10000",
    "allowed.folder": "Write the path of a folder",
    "allowed.bool": "Write true or false",
    "allowed.broker": "It has to start with one of {schemes}",
    "allowed.observer": "Write one of auto, native, polling",
    "allowed.language": "Write one of {languages}",
    "allowed.patterns": "Write patterns that are not empty",
    "allowed.address": "Write host and port, as in 127.0.0.1:9464",
    "allowed.web-address": "Write an address that starts with http:// or https://, in ASCII letters (others as %EA%B0%80) without spaces, user and password",
    "allowed.base-url": "Write an address that starts with http:// or https:// and holds no user, password, ? or #",
    "allowed.header": "Write it in ASCII letters without spaces and control characters",
    "allowed.model": "Write the name of the model",
    "allowed.log-level": "Write one of debug, info, warning, error",
    "wrong": "Setting {name}: {found} cannot be used. {allowed}.",
    "secret": "the value (a secret, not shown)",
    "in-source": "{name} in {source}",
    "environment": "Environment variable {name}",
    "unknown": "{label}: there is no such setting. {hint}",
    "retired": "{label}: no longer a setting and ignored (its default always holds). Remove it.",
    "likely": "Did you mean {name}?",
    "in-the-table": "docs/settings.md lists the names.",
    "missing-file": "Settings file {path}: it is not there. Correct the path or make the file.",
    "not-toml": "Settings file {path}: it is not TOML ({reason}).",
    "unreadable-file": "Settings file {path}: it cannot be read ({reason}).",
    "not-utf8": "not UTF-8, byte {offset}",
    "conflict": "Settings do not fit together: {reason}",
    "conflict.visibility": "visibility_timeout_seconds ({timeout}) has to be larger than task_time_limit_seconds ({limit}). Otherwise a task that runs is started once more.",
    "conflict.watch-in-out": "watch ({watch}) is the same as out ({out}) or lies in it. The folder of reports is not read: keep them apart.",
    "conflict.state": "state ({state}) has to be a folder of this machine alone. Name another one than watch, out and out/.scorewatch.",
    "conflict.judge-model": "With judge_base_url, judge_model has to name the model.",
    "conflict.judge-timeout": "{factor} times judge_timeout_seconds ({timeout}) has to be less than task_time_limit_seconds ({limit}). Otherwise a task is cut off while it judges.",
}

TEXTS: Mapping[str, Mapping[str, str]] = {"ko": _KO, "en": _EN}


class Say:
    """The texts of one language; names in braces are filled in."""

    def __init__(self, language: str = DEFAULT_LANGUAGE) -> None:
        assert language in LANGUAGES, language
        self._texts = TEXTS[language]

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of `key`. Raises KeyError when there is none, or when a name that it needs is not given."""
        return self._texts[key].format_map(values)
