-- Parts of words, for other programs' SQL (`content ilike '%ock tim%'`), where pg_trgm is there.

do $$
declare
    home name := (
        select nspname from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
        where extname = 'pg_trgm');
begin
    if home is not null then
        execute format(
            'create index memories_by_trigrams on memtui.memories using gin (content %I.gin_trgm_ops)',
            home);
    end if;
end $$;
