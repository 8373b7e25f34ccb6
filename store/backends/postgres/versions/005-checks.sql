-- What no reader of a memory takes is not written. Rows that stand already are not looked at: those
-- of them that are odd are passed over, and named by the doctor.

create function memtui.is_json(record bytea) returns boolean language plpgsql immutable as $$
begin
    return json_typeof(convert_from(record, 'UTF8')::json) is not null;
exception when others then
    -- What JSON's writers write and the database does not take: halves of characters, no numbers.
    return position('\xed'::bytea in record) > 0 or position('NaN'::bytea in record) > 0
        or position('Infinity'::bytea in record) > 0;
end $$;

alter table memtui.issues add constraint issue_is_count
    check (issue between 0 and 999999999) not valid;
alter table memtui.memories add constraint issue_is_count
    check (issue between 0 and 999999999) not valid;
alter table memtui.memories add constraint record_is_json
    check (record is null or memtui.is_json(record)) not valid;
alter table memtui.memories add constraint metadata_is_object
    check (metadata is null or jsonb_typeof(metadata) = 'object') not valid;
