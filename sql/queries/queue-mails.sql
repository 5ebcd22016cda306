-- One row an address. Mails to recipients are bounded; notices to owners are not.
insert into queued_mails (key, address, site_no, recipient_id, language, subject, paragraphs, created_at, next_at)
select :key::text, address, :siteNo::int, recipient_id, language, subject, paragraphs::jsonb, :now::timestamptz, :now::timestamptz
from
  unnest(:addresses::text[], :recipientIds::uuid[], :languages::text[], :subjects::text[], :paragraphs::text[])
    with ordinality as given (address, recipient_id, language, subject, paragraphs, position)
where
  recipient_id is null
  or position + (
    select count(*)
    from queued_mails
    where site_no = :siteNo::int and recipient_id is not null and created_at > :since::timestamptz
  ) <= :most::int
on conflict do nothing
