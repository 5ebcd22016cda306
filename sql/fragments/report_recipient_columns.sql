report_recipients.id, report_recipients.site_no as "siteNo", report_recipients.address, report_recipients.user_id as "userId",
report_recipients.language, report_recipients.hour, report_recipients.daily_since as "dailySince",
report_recipients.weekly_since as "weeklySince", report_recipients.monthly_since as "monthlySince",
report_recipients.sections, report_recipients.skips_empty as "skipsEmpty", report_recipients.asked_at as "askedAt",
report_recipients.confirmed_at as "confirmedAt", report_recipients.unsubscribed_at as "unsubscribedAt",
report_recipients.removed_at as "removedAt", report_recipients.created_at as "createdAt",
(
  select coalesce(logins.email, users.email)
  from users left join logins on logins.id = users.login_id
  where users.id = report_recipients.created_by
) as "createdBy"
