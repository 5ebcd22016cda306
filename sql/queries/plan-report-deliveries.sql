-- One row for each recipient and period that is due. A period that was due before the report was wanted is left out.
insert into report_deliveries (recipient_id, kind, first_day, last_day, state, due_at, planned_at, next_at, changed_at)
select mail_recipients.id, due.kind, due.first_day::date, due.last_day::date, 'waiting', due.due_at, :now::timestamptz, due.due_at,
  :now::timestamptz
from
  unnest(
    :zones::text[], :hours::integer[], :kinds::text[], :firstDays::text[], :lastDays::text[], :dueAts::timestamptz[]
  ) as due (zone, hour, kind, first_day, last_day, due_at)
  join mail_recipients on mail_recipients.hour = due.hour
  join sites on sites.site_no = mail_recipients.site_no and sites.timezone = due.zone
  join teams on teams.id = sites.team_id
where
  sites.deleted_at is null
  and (teams.plan = 'active' or teams.plan = 'trial' and teams.trial_ends_at > :now::timestamptz)
  and mail_recipients.confirmed_at <= due.due_at
  and mail_recipients.removed_at is null
  and mail_recipients.unsubscribed_at is null
  and due.due_at >= case due.kind
    when 'daily' then mail_recipients.daily_since
    when 'weekly' then mail_recipients.weekly_since
    else mail_recipients.monthly_since
  end
on conflict do nothing
