num_nonnulls(mail_recipients.daily_since, mail_recipients.weekly_since, mail_recipients.monthly_since) > 0
