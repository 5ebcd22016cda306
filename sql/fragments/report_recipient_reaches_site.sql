-- A user who has left the site, or has another address by now, gets nothing. An address of no user always reaches it.
(
  report_recipients.user_id is null
  or exists (
    select
    from users join sites on sites.site_no = report_recipients.site_no
    where
      users.id = report_recipients.user_id
      and users.team_id = sites.team_id
      and users.email = report_recipients.address
      and (users.site_ids is null or sites.id = any(users.site_ids))
  )
)
