-- Moves the new stamps of site :siteNo to those that are one for each span, and those of spans that have become old to longer ones. The exclusive
-- or of a span that holds them whole stays the same. Stored blocks whose rows have changed are deleted.
with added as (
  delete from new_stamps where site_no = :siteNo::int returning kind, starts_at, minutes, stamp
),
dropped as (
  delete from column_blocks
  where site_no = :siteNo::int
    and starts_at in (
      select date_bin('1 day', starts_at, '2000-01-01T00:00:00Z') from new_stamps where site_no = :siteNo::int and kind = 'sessions'
    )
    and column_blocks.stamp <> (
      select coalesce(bit_xor(stamped.stamp), 0)
      from (
        {session_stamps}
      ) as stamped
      where stamped.starts_at >= column_blocks.starts_at and stamped.starts_at < column_blocks.starts_at + interval '1 day'
    )
),
aged as (
  delete from stamps
  where site_no = :siteNo::int and (
    (minutes = 1 and starts_at <= now() - interval '3 hours') or (minutes = 60 and starts_at <= now() - interval '3 days')
  )
  returning kind, starts_at, minutes, stamp
),
moved as (
  select
    kind, starts_at, stamp,
    greatest(minutes, case when starts_at > now() - interval '3 hours' then 1 when starts_at > now() - interval '3 days' then 60 else 1440 end)
      as minutes
  from (select * from added union all select * from aged) as stamp
)
insert into stamps (site_no, kind, starts_at, minutes, stamp)
select :siteNo::int, kind, date_bin(minutes * interval '1 minute', starts_at, '2000-01-01T00:00:00Z'), minutes, bit_xor(stamp)
from moved
group by 2, 3, 4
on conflict (site_no, kind, starts_at, minutes) do update set stamp = stamps.stamp # excluded.stamp
