-- How much memory the columns of a stored block take: a range that does not fit is refused before they are read. 0: as a version before stored it,
-- in a form that is not read.
alter table column_blocks add column decoded_bytes bigint not null default 0;
