-- Deletes the lookup of object $2 of site $1, after the processor returned the object.
delete from processor_facts
where site_no = $1::int and kind = 'lookup' and object_id = $2::text
