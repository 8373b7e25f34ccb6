-- What a memory is kept in. Each project is a memory of its own.

create table memtui.versions (
    version integer primary key,
    applied_at timestamptz not null default now()
);

create table memtui.projects (
    project integer generated always as identity primary key,
    name text not null unique
);

-- Numbers every change. A stamp is this number and a time, so that a restored backup repeats none.
create sequence memtui.changes as bigint;

create table memtui.issues (
    project integer not null references memtui.projects,
    issue integer not null,
    change bigint not null,
    changed_at timestamptz not null,
    size bigint not null default 0,
    primary key (project, issue)
);

-- One row a memory. `metadata` has the keys that no column holds, and those that a column would
-- not give back as they were; `record` the exact text of the few that neither gives back.
create table memtui.memories (
    number bigint generated always as identity primary key,
    project integer not null references memtui.projects,
    issue integer not null,
    location text not null default 'issue' check (location in ('issue', 'archive')),
    place double precision not null default extract(epoch from clock_timestamp()),
    memory_id text,
    agent_id text,
    memory_type text,
    task_id text,
    session_id text,
    category text,
    content text,
    summary text,
    tokens bigint,
    "timestamp" timestamptz,
    keywords text[],
    sources text[],
    relevance_score double precision,
    access_count bigint,
    last_accessed timestamptz,
    seen_count bigint,
    pinned boolean,
    muted boolean,
    archived boolean,
    metadata jsonb,
    record bytea,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create index memories_by_issue on memtui.memories (project, issue);
create index memories_by_id on memtui.memories (memory_id);
create index memories_by_agent on memtui.memories (project, agent_id, memory_type, "timestamp");
create index memories_by_words on memtui.memories
    using gin (to_tsvector('english', coalesce(summary, '') || ' ' || coalesce(content, '')));

-- Where the activity log ends; `summary` covers it up to `covered`, `begins` is what was removed.
create table memtui.logs (
    project integer primary key references memtui.projects,
    ends bigint not null default 0,
    begins bigint not null default 0,
    covered bigint not null default 0,
    summary bytea not null default ''
);

create table memtui.activity (
    project integer not null references memtui.projects,
    ends bigint not null,
    entry json not null,
    logged_at timestamptz not null default now(),
    primary key (project, ends)
);

-- The journal of operations, texts of recalls, sessions, their messages and checkpoints.
create table memtui.texts (
    project integer not null references memtui.projects,
    kind text not null,
    name text not null collate "C",
    data bytea not null,
    kept_at timestamptz not null,
    change bigint not null,
    primary key (project, kind, name)
);

-- Which writes were committed: asked where the connection broke before the answer came.
create table memtui.writes (
    write uuid primary key,
    written_at timestamptz not null default now()
);
create index writes_by_time on memtui.writes (written_at);

-- Whatever changes a memory, this program or another one's SQL, is a change of its issue.
create function memtui.size_of(memory memtui.memories) returns bigint
    language sql immutable
    return 300 + coalesce(octet_length(memory.content), 0) + coalesce(octet_length(memory.summary), 0)
        + coalesce(octet_length(memory.record), 0);

create function memtui.note_added() returns trigger language plpgsql as $$
begin
    insert into memtui.issues as known (project, issue, change, changed_at, size)
        select project, issue, nextval('memtui.changes'), clock_timestamp(),
            sum(memtui.size_of(added::memtui.memories))
        from added group by project, issue order by project, issue
        on conflict (project, issue) do update set
            change = excluded.change, changed_at = excluded.changed_at,
            size = known.size + excluded.size;
    perform pg_notify('memtui', project::text) from (select distinct project from added) as those;
    return null;
end $$;

create function memtui.note_gone() returns trigger language plpgsql as $$
begin
    insert into memtui.issues as known (project, issue, change, changed_at, size)
        select project, issue, nextval('memtui.changes'), clock_timestamp(),
            -sum(memtui.size_of(gone::memtui.memories))
        from gone group by project, issue order by project, issue
        on conflict (project, issue) do update set
            change = excluded.change, changed_at = excluded.changed_at,
            size = greatest(known.size + excluded.size, 0);
    perform pg_notify('memtui', project::text) from (select distinct project from gone) as those;
    return null;
end $$;

create function memtui.note_changed() returns trigger language plpgsql as $$
begin
    insert into memtui.issues as known (project, issue, change, changed_at, size)
        select project, issue, nextval('memtui.changes'), clock_timestamp(), sum(size)
        from (
            select project, issue, memtui.size_of(added::memtui.memories) as size from added
            union all
            select project, issue, -memtui.size_of(gone::memtui.memories) from gone
        ) as both_sides group by project, issue order by project, issue
        on conflict (project, issue) do update set
            change = excluded.change, changed_at = excluded.changed_at,
            size = greatest(known.size + excluded.size, 0);
    perform pg_notify('memtui', project::text) from (select distinct project from added) as those;
    return null;
end $$;

create trigger note_added after insert on memtui.memories
    referencing new table as added for each statement execute function memtui.note_added();
create trigger note_gone after delete on memtui.memories
    referencing old table as gone for each statement execute function memtui.note_gone();
create trigger note_changed after update on memtui.memories
    referencing old table as gone new table as added
    for each statement execute function memtui.note_changed();

-- Another program that changes a column changes the memory: the text of what it was goes.
create function memtui.note_edited() returns trigger language plpgsql as $$
begin
    new.updated_at := now();
    if old.record is not null and new.record is not distinct from old.record and
        (new.memory_id, new.agent_id, new.session_id, new.category, new.content, new.summary,
            new.tokens, new."timestamp", new.keywords, new.sources, new.relevance_score,
            new.access_count, new.last_accessed, new.seen_count, new.pinned, new.muted,
            new.archived, new.metadata)
        is distinct from
        (old.memory_id, old.agent_id, old.session_id, old.category, old.content, old.summary,
            old.tokens, old."timestamp", old.keywords, old.sources, old.relevance_score,
            old.access_count, old.last_accessed, old.seen_count, old.pinned, old.muted,
            old.archived, old.metadata)
    then
        new.record := null;
    end if;
    return new;
end $$;

create trigger note_edited before update of
        memory_id, agent_id, session_id, category, content, summary, tokens, "timestamp", keywords,
        sources, relevance_score, access_count, last_accessed, seen_count, pinned, muted, archived,
        metadata
    on memtui.memories for each row execute function memtui.note_edited();
