-- Why the details of a day of site :siteNo cannot be dropped yet; null when they can. Marks are looked for from :start on: the first
-- day is kept together with everything before it.
select case
  when not exists (
    select from rollup_spans
    where site_no = :siteNo::int and timezone = :timezone and rolled_up_from <= :dayStart::timestamptz
  ) or not exists (
    select from daily_rollups
    where site_no = :siteNo::int and starts_at = :dayStart::timestamptz and ends_at = :dayEnd::timestamptz
      and dimensions_hash = :dimensionsHash
  ) then 'the day is not rolled up'
  when exists (
    select from dirty_buckets
    where aggregate in ('hits', 'daily_rollups') and site_no = :siteNo::int
      and bucket >= :start::timestamptz and bucket < :dayEnd::timestamptz
  ) then 'the day has dirty buckets'
  when exists (
    select from watermarks
    where aggregate in ('hits', 'daily_rollups') and watermark < :dayEnd::timestamptz
  ) then 'the day lies above a watermark'
end as reason
