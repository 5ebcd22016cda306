-- Through the hypertable, never a chunk of it: only so are compressed rows found in every version. Needs a plan made for
-- these parameters (see allow-purge), by which whole segments of the columnstore go without being unpacked.
delete from sessions
where site_no = $1::int and started_at >= $2::timestamptz and started_at < $3::timestamptz
