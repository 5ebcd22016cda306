insert into rollup_spans (site_no, timezone, rolled_up_from)
values ($1::int, $2::text, $3::timestamptz)
on conflict (site_no) do update set timezone = excluded.timezone, rolled_up_from = excluded.rolled_up_from
