-- Recipients of a site with the last mail that each got, and the newest one after it that failed.
select {mail_recipient_columns}, {mail_recipient_reaches_site} as "reachesSite",
  sent.kind as "sentKind", to_char(sent.first_day, 'YYYY-MM-DD') as "sentFrom", to_char(sent.last_day, 'YYYY-MM-DD') as "sentTo",
  sent.changed_at as "sentAt",
  failed.kind as "failedKind", to_char(failed.first_day, 'YYYY-MM-DD') as "failedFrom",
  to_char(failed.last_day, 'YYYY-MM-DD') as "failedTo", failed.problem, failed.response, failed.attempts,
  case when failed.state in ('waiting', 'claimed', 'handing_over') then failed.next_at end as "nextAt"
from mail_recipients
left join lateral (
  select *
  from report_deliveries
  where recipient_id = mail_recipients.id and state = 'sent'
  order by changed_at desc, kind
  limit 1
) as sent on true
left join lateral (
  select *
  from report_deliveries
  where
    recipient_id = mail_recipients.id
    and problem is not null
    and state not in ('sent', 'skipped')
    and (sent.due_at is null or due_at >= sent.due_at)
  order by due_at desc, kind
  limit 1
) as failed on true
where mail_recipients.site_no = :siteNo and mail_recipients.removed_at is null and ({mail_recipient_gets_reports})
order by mail_recipients.address
