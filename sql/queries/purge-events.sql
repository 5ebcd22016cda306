-- Through the hypertable, never a chunk of it: only so are compressed rows found in every version. Needs a plan made for
-- these parameters (see allow-purge), by which whole segments of the columnstore go without being unpacked.
delete from events
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
