"""Which variables of the environment are ours."""

from config.start import without_settings


def test_a_process_without_settings_gets_all_else() -> None:
    ours = {
        "SCOREWATCH_JUDGE_API_KEY": "sk-1",
        "scorewatch_webhook_url": "https://u:p@h",
        "SCOREWATCH_CONFIG": "a.toml",
    }
    others = {"PATH": "/bin", "MY_SCOREWATCH_": "", "SCOREWATCH": "1"}
    assert without_settings({**ours, **others}) == others
