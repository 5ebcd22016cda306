mail_recipients.id, mail_recipients.site_no as "siteNo", mail_recipients.address, mail_recipients.user_id as "userId",
mail_recipients.language, mail_recipients.hour, mail_recipients.daily_since as "dailySince",
mail_recipients.weekly_since as "weeklySince", mail_recipients.monthly_since as "monthlySince",
mail_recipients.sections, mail_recipients.skips_empty as "skipsEmpty", mail_recipients.asked_at as "askedAt",
mail_recipients.confirmed_at as "confirmedAt", mail_recipients.unsubscribed_at as "unsubscribedAt",
mail_recipients.removed_at as "removedAt", mail_recipients.created_at as "createdAt",
(
  select coalesce(logins.email, users.email)
  from users left join logins on logins.id = users.login_id
  where users.id = mail_recipients.created_by
) as "createdBy"
