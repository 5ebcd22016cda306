-- Mails that wait, the oldest first. They are marked as sent before they are handed over: a mail that is sent twice would say that it
-- happened twice. `isWanted`: its recipient still agrees; the site and the plan of its team are checked, too. A mail about a login has no site.
-- `next_at` far away was written by a clock that was wrong.
with
  next as materialized (
    select key, address, site_no
    from queued_mails
    where
      sent_at is null
      and (next_at <= :now::timestamptz or next_at > :tooFar::timestamptz)
      and created_at > :since::timestamptz
    order by next_at
    limit :limit
    for update skip locked
  )
update queued_mails
set sent_at = :now::timestamptz
from
  next
  left join sites on sites.site_no = next.site_no and sites.deleted_at is null
  left join teams on teams.id = sites.team_id
where
  queued_mails.key = next.key
  and queued_mails.address = next.address
returning
  queued_mails.key,
  queued_mails.address,
  queued_mails.recipient_id as "recipientId",
  queued_mails.language,
  queued_mails.subject,
  queued_mails.paragraphs,
  (
    queued_mails.site_no is null
    or sites.site_no is not null
    and (
      queued_mails.recipient_id is null
      or (
        (teams.plan = 'active' or teams.plan = 'trial' and teams.trial_ends_at > :now::timestamptz)
        and exists (select from mail_recipients where id = queued_mails.recipient_id and {mail_recipient_agrees})
      )
    )
  ) as "isWanted"
