-- What changed of late in a large issue, so that who knew it before reads that alone, and where an
-- issue ends, so that who only adds to it need not read it.

lock table memtui.memories in share row exclusive mode;

-- `touched` has the ids of what changed, `touched_at` the stamp that the issue had after each change;
-- the first of them may have no id, and says only what the issue's stamp was.
alter table memtui.issues
    add column ends double precision not null default 0,
    add column touched text[] not null default '{}',
    add column touched_at text[] not null default '{}';

update memtui.issues as known set ends = found.ends
    from (select project, issue, max(place) as ends from memtui.memories group by project, issue)
        as found
    where found.project = known.project and found.issue = known.issue;

create index memories_by_content on memtui.memories using hash (content);

create function memtui.stamp_of(change bigint, changed_at timestamptz) returns text
    language sql stable
    return change || '-' || extract(epoch from changed_at);

-- The ids where they are few and plain; null where the issue is better read whole.
create function memtui.few(ids text[]) returns text[] language sql immutable
    return case when cardinality(ids) <= 100 and not exists (
            select from unnest(ids) as id where id is null or id !~ '^[A-Za-z0-9._:-]{1,100}$')
        then ids end;

-- A list with more at its end, the last 200 of them; an empty one begins with `first`.
create function memtui.lengthened(list text[], first text, more text[]) returns text[]
    language sql immutable
    return (case list when '{}' then array[first] else list end || more)
        [greatest(cardinality(list) + cardinality(more) - 199, 1):];

-- An issue below a megabyte is read as soon as what changed of it.
create function memtui.note_issue(
    of_project integer, of_issue integer, more bigint, ids text[], place double precision
) returns void language plpgsql as $$
declare
    number bigint := nextval('memtui.changes');
    moment timestamptz := clock_timestamp();
    told text[] := memtui.few(ids);
begin
    insert into memtui.issues as known (project, issue, change, changed_at, size, ends)
        values (of_project, of_issue, number, moment, greatest(more, 0), place)
        on conflict (project, issue) do update set
            change = excluded.change, changed_at = excluded.changed_at,
            size = greatest(known.size + more, 0), ends = greatest(known.ends, excluded.ends),
            touched = case when told is null or known.size + more < 1000000 then '{}'
                else memtui.lengthened(known.touched, null, told) end,
            touched_at = case when told is null or known.size + more < 1000000 then '{}'
                else memtui.lengthened(
                    known.touched_at, memtui.stamp_of(known.change, known.changed_at),
                    array_fill(memtui.stamp_of(number, moment), array[cardinality(told)])) end;
end $$;

create or replace function memtui.note_added() returns trigger language plpgsql as $$
begin
    perform memtui.note_issue(project, issue, size, ids, place) from (
        select project, issue, sum(memtui.size_of(added::memtui.memories))::bigint as size,
            array_agg(memory_id) as ids, max(place) as place
        from added group by project, issue order by project, issue) as each;
    perform pg_notify('memtui', project::text) from (select distinct project from added) as those;
    return null;
end $$;

create or replace function memtui.note_gone() returns trigger language plpgsql as $$
begin
    perform memtui.note_issue(project, issue, size, ids, place) from (
        select project, issue, -sum(memtui.size_of(gone::memtui.memories))::bigint as size,
            array_agg(memory_id) as ids, max(place) as place
        from gone group by project, issue order by project, issue) as each;
    perform pg_notify('memtui', project::text) from (select distinct project from gone) as those;
    return null;
end $$;

create or replace function memtui.note_changed() returns trigger language plpgsql as $$
begin
    perform memtui.note_issue(project, issue, size, ids, place) from (
        select project, issue, sum(size)::bigint as size, array_agg(distinct memory_id) as ids,
            max(place) as place
        from (
            select project, issue, memory_id, place,
                memtui.size_of(added::memtui.memories) as size from added
            union all
            select project, issue, memory_id, place,
                -memtui.size_of(gone::memtui.memories) from gone
        ) as both_sides group by project, issue order by project, issue) as each;
    perform pg_notify('memtui', project::text) from (select distinct project from added) as those;
    return null;
end $$;
