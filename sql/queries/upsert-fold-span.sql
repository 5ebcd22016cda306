insert into fold_spans (site_no, timezone, folded_from)
values ($1::int, $2::text, $3::timestamptz)
on conflict (site_no) do update set timezone = excluded.timezone, folded_from = excluded.folded_from
