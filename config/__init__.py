"""Settings, the rules of the gate and the rubric documents in force."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from config.addresses import ListenAddress, split_address, split_broker_url
    from config.gate_rules import gate_source, load_gate, parse_gate, read_gate
    from config.load import load_settings, settings_in_file
    from config.rubrics_in_force import DOCUMENT_SUFFIX, RubricFolderError, UnknownProfileError, claiming
    from config.rubrics_in_force import document_in_force, document_paths, load_rubrics, packed_patterns, profile_named
    from config.rubrics_in_force import read_document, set_patterns, shipped_rubrics
    from config.settings import JUDGE_DEADLINE_FACTOR, Settings
    from config.start import CONFIG_NAME, ENVIRONMENT_ONLY_NAME, PREFIX, SettingsError, is_setting, without_settings
else:
    __getattr__ = door(__name__)
