"""The pages of the manual about the screens."""

from __future__ import annotations

FIRST_PAGE = "index.md"
PAGES = {
    "BrowseScreen": "screens/browse.md",
    "ObservationScreen": "screens/memory.md",
    "InjectionScreen": "screens/injection.md",
    "CompactionScreen": "screens/compaction.md",
    "SessionsScreen": "screens/sessions.md",
    "SessionScreen": "screens/sessions.md",
    "CaptureScreen": "screens/capture.md",
    "ActivityScreen": "screens/activity.md",
    "HistoryScreen": "screens/history.md",
    "ClarificationsScreen": "screens/clarifications.md",
    "DoctorScreen": "screens/doctor.md",
    "StatsScreen": "screens/statistics.md",
    "SettingsScreen": "settings.md",
}
"""The page about a screen, by the name of its class; other screens have the first page."""
