-- Nothing changes unless the claim holds, and the recipient may still get the mail: the question before they have agreed, reports that are
-- still wanted after it.
update report_deliveries
set state = 'handing_over', next_at = :until, changed_at = :now
from mail_recipients, sites, teams
where
  report_deliveries.recipient_id = :recipientId
  and report_deliveries.kind = :kind
  and report_deliveries.first_day = (:from::text)::date
  and report_deliveries.attempts = :attempts
  and report_deliveries.state = 'claimed'
  and mail_recipients.id = report_deliveries.recipient_id
  and sites.site_no = mail_recipients.site_no
  and sites.deleted_at is null
  and teams.id = sites.team_id
  and (teams.plan = 'active' or teams.plan = 'trial' and teams.trial_ends_at > :now::timestamptz)
  and mail_recipients.removed_at is null
  and mail_recipients.unsubscribed_at is null
  and (report_deliveries.kind = 'confirmation') = (mail_recipients.confirmed_at is null)
  and case report_deliveries.kind
    when 'daily' then mail_recipients.daily_since is not null
    when 'weekly' then mail_recipients.weekly_since is not null
    when 'monthly' then mail_recipients.monthly_since is not null
    else true
  end
  and {mail_recipient_reaches_site}
returning report_deliveries.attempts
