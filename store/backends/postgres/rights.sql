-- Who may see and change which project. Run again whenever a login is given a right.
-- One statement, so that it may be sent among others whose answers are still to come.

do $rights$
declare
    kept text;
begin
    if not exists (select from pg_roles where rolname = 'memtui_reader') then
        create role memtui_reader nologin;
    end if;
    if not exists (select from pg_roles where rolname = 'memtui_writer') then
        create role memtui_writer nologin;
    end if;
    grant memtui_reader to memtui_writer;

    create table if not exists memtui.members (
        project integer not null references memtui.projects,
        login name not null,
        may_write boolean not null,
        primary key (project, login)
    );
    -- A write's mark names no project: each login has its own.
    alter table memtui.writes add column if not exists writer name default current_user;

    grant usage on schema memtui to memtui_reader;
    grant select on all tables in schema memtui to memtui_reader;
    grant insert, update, delete on memtui.issues, memtui.memories, memtui.logs, memtui.activity,
        memtui.texts to memtui_writer;
    grant insert, delete on memtui.writes to memtui_writer;
    grant usage on sequence memtui.changes to memtui_writer;

    alter table memtui.members enable row level security;
    drop policy if exists own on memtui.members;
    create policy own on memtui.members for select to memtui_reader using (login = current_user);

    alter table memtui.writes enable row level security;
    drop policy if exists own on memtui.writes;
    create policy own on memtui.writes to memtui_writer using (writer = current_user);

    foreach kept in array array['projects', 'issues', 'memories', 'logs', 'activity', 'texts'] loop
        execute format('alter table memtui.%I enable row level security', kept);
        execute format('drop policy if exists readers on memtui.%I', kept);
        execute format('drop policy if exists writers on memtui.%I', kept);
        execute format($policy$
            create policy readers on memtui.%I for select to memtui_reader using (
                project in (select project from memtui.members where login = current_user))
            $policy$, kept);
        execute format($policy$
            create policy writers on memtui.%I to memtui_writer using (
                project in (
                    select project from memtui.members where login = current_user and may_write))
            $policy$, kept);
    end loop;
end $rights$;
