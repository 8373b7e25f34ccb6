"""Agents' programs (clients): all that is known of each, one module a client.

    registry.NAMES, client_named(name), clients()    the `Client` values (store.agents.client)
    discovery.session_files(home, folders)           the sessions of all clients, newest first
    discovery.open_session(path)                     a session's lines, whatever its client
    formats.read_session(lines, format)              a `Session`: messages, tool calls, results
    formats.read_transcript(lines, format)           the same as a stream of events (transcript)

A client has how its sessions are found, recognised, read and resumed, which hooks it offers and
how they are written, what its channel lets through, and which files it loads by itself. Capture,
sessions, hooks, recall's channels and budget ask here. What memory told a session and what
programs put into it are cut out of the words of every client (noise).
"""
