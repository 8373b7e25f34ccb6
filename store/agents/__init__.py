"""Agents' programs (clients): all that is known of each, one module a client.

    registry.NAMES, client_named(name), clients()    the `Client` values (store.agents.client)
    discovery.session_files(home, folders)           the sessions of all clients, newest first
    discovery.open_session(path)                     a session's lines, whatever its client
    formats.read_session(lines, format)              a `Session`: messages, tool calls, results
    formats.read_transcript(lines, format)           the same as a stream of events (transcript)

A client says how its sessions are found, recognised, read and resumed, which hooks it offers and
how they are written, what its channel lets through, and which files it loads by itself. Capture,
sessions, hooks, recall's channels and budget ask here. What memory told a session and what
programs put into it are cut out of the words of every client (noise).
"""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
    from store.agents.client import Client, Home, Hooks, ServerList, SessionFile
    from store.agents.context_files import loaded_files
    from store.agents.discovery import open_session, session_files, session_id_of, transcripts_in
    from store.agents.files import files_at
    from store.agents.first_message import first_request
    from store.agents.formats import FORMATS, SUMMARY
    from store.agents.hook_files import HookFile, hook_file
    from store.agents.hooks import COMMAND, Answer, Hook, HookEntry, HookState, line_of
    from store.agents.noise import without_noise
    from store.agents.ownership import Earlier, Standing
    from store.agents.registry import HOOKED, NAMES, SERVED, client_named, clients
    from store.agents.server_files import server_in, with_server, without_server
    from store.agents.session import Session
else:
    __getattr__ = offered(
        __name__,
        {
            "store.agents.client": "Client Home Hooks ServerList SessionFile",
            "store.agents.context_files": "loaded_files",
            "store.agents.discovery": "open_session session_files session_id_of transcripts_in",
            "store.agents.files": "files_at",
            "store.agents.formats": "FORMATS SUMMARY",
            "store.agents.hook_files": "HookFile hook_file",
            "store.agents.hooks": "COMMAND Answer Hook HookEntry HookState line_of",
            "store.agents.noise": "without_noise",
            "store.agents.ownership": "Earlier Standing",
            "store.agents.first_message": "first_request",
            "store.agents.registry": "HOOKED NAMES SERVED client_named clients",
            "store.agents.server_files": "server_in with_server without_server",
            "store.agents.session": "Session",
        },
    )
