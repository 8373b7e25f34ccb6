"""Settings: what there are, where they come from, changing one."""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.settings.edit import FileChange, keep_setting, reset_setting, take_back
    from store.settings.files import (
        DEFAULT,
        PREFIX,
        LoadedSettings,
        load_settings,
        project_file,
        settings_in,
        settings_template,
        user_choice,
        user_file,
    )
    from store.settings.known import (
        SettingInfo,
        accepted,
        allowed,
        known_settings,
        setting_named,
    )
    from store.settings.mistakes import Mistake, MistakeKind
    from store.settings.schema import Settings, setting
    from store.settings.typed import as_typed, typed_value
else:
    __getattr__ = offered(
        __name__,
        {
            "store.settings.edit": "FileChange keep_setting reset_setting take_back",
            "store.settings.files": (
                "DEFAULT PREFIX LoadedSettings load_settings project_file settings_in "
                "settings_template user_choice user_file"
            ),
            "store.settings.mistakes": "Mistake MistakeKind",
            "store.settings.known": "SettingInfo accepted allowed known_settings setting_named",
            "store.settings.schema": "Settings setting",
            "store.settings.typed": "as_typed typed_value",
        },
    )
