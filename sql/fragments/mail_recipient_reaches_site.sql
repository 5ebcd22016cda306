-- A user who has left the site, or has another address by now, gets nothing. An address of no user always reaches it.
(
  mail_recipients.user_id is null
  or exists (
    select
    from users join sites on sites.site_no = mail_recipients.site_no
    where
      users.id = mail_recipients.user_id
      and users.team_id = sites.team_id
      and users.email = mail_recipients.address
      and (users.site_ids is null or sites.id = any(users.site_ids))
  )
)
