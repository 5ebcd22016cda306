-- Object $2 of site $1 was asked for and had.
delete from processor_facts
where site_no = $1::int and kind = 'lookup' and object_id = $2::text
