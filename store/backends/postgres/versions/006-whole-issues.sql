-- Who follows an issue reads it whole: what changed of it is no longer kept.

create or replace function memtui.note_issue(
    of_project integer, of_issue integer, more bigint, ids text[], place double precision
) returns void language sql as $$
    insert into memtui.issues as known (project, issue, change, changed_at, size, ends)
        values (
            of_project, of_issue, nextval('memtui.changes'), clock_timestamp(),
            greatest(more, 0), place)
        on conflict (project, issue) do update set
            change = excluded.change, changed_at = excluded.changed_at,
            size = greatest(known.size + more, 0), ends = greatest(known.ends, excluded.ends);
$$;

drop function memtui.few(text[]);
drop function memtui.lengthened(text[], text, text[]);
alter table memtui.issues drop column touched, drop column touched_at;
