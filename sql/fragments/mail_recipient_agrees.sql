-- Reports and alerts may be sent there.
(
  mail_recipients.confirmed_at is not null
  and mail_recipients.unsubscribed_at is null
  and mail_recipients.removed_at is null
  and {mail_recipient_reaches_site}
)
