-- The mail that has waited longest. The lock is skipped, so that two schedulers take two different ones. Materialized: as an inner side of a
-- join, the choice would run once for each outer row, and claim as many mails. `next_at` far away was written by a clock that was wrong.
with
  next as materialized (
    select recipient_id, kind, first_day
    from report_deliveries
    where state in ('waiting', 'claimed') and (next_at <= :now::timestamptz or next_at > :tooFar::timestamptz)
    order by next_at, recipient_id, kind
    limit 1
    for update skip locked
  )
update report_deliveries
set state = 'claimed', attempts = report_deliveries.attempts + 1, next_at = :until::timestamptz, changed_at = :now::timestamptz
from
  next
  join mail_recipients on mail_recipients.id = next.recipient_id
where
  report_deliveries.recipient_id = next.recipient_id
  and report_deliveries.kind = next.kind
  and report_deliveries.first_day = next.first_day
returning
  mail_recipients.id,
  mail_recipients.site_no as "siteNo",
  mail_recipients.address,
  mail_recipients.language,
  mail_recipients.sections,
  mail_recipients.skips_empty as "skipsEmpty",
  report_deliveries.kind,
  to_char(report_deliveries.first_day, 'YYYY-MM-DD') as "from",
  to_char(report_deliveries.last_day, 'YYYY-MM-DD') as "to",
  report_deliveries.attempts,
  report_deliveries.planned_at as "plannedAt"
