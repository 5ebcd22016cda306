-- One row an address. Mails to recipients of a site are bounded, and those about logins by their address; notices to owners are not.
insert into queued_mails (key, address, site_no, recipient_id, language, subject, paragraphs, created_at, next_at)
select :key::text, address, :siteNo::int, recipient_id, language, subject, paragraphs::jsonb, :now::timestamptz, :now::timestamptz
from
  unnest(:addresses::text[], :recipientIds::uuid[], :languages::text[], :subjects::text[], :paragraphs::text[])
    with ordinality as given (address, recipient_id, language, subject, paragraphs, position)
where
  case
    when :siteNo::int is null then (
      select count(*)
      from queued_mails
      where site_no is null and queued_mails.address = given.address and created_at > :since::timestamptz
    ) < :mostOfAddress::int
    when recipient_id is null then true
    else position + (
      select count(*)
      from queued_mails
      where site_no = :siteNo::int and recipient_id is not null and created_at > :since::timestamptz
    ) <= :most::int
  end
on conflict do nothing
