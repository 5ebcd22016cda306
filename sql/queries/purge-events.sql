-- Deletes through the hypertable, not from a chunk: only this finds compressed rows in every version. Needs a plan for these
-- parameters (see allow-purge): it deletes whole segments of the columnstore without decompressing them.
delete from events
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
