-- Ledger rows of restored payments. Visitors and sessions are looked up by what the archive says of them: a visitor by its id, a session by
-- its visitor and start.
insert into revenue (
  site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, is_first_of_customer, visitor_no,
  session_no, session_at
)
select
  :siteNo::int, given.paid_at, given.id, given.currency, given.amount_minor, given.refunded_minor,
  given.recurring or given.renewal, coalesce(given.is_first_of_customer, false), visitor.visitor_no,
  session.session_no, session.started_at
from jsonb_to_recordset(:rows::text::jsonb) as given (
  id uuid, paid_at timestamptz, currency text, amount_minor bigint, refunded_minor bigint, recurring boolean,
  renewal boolean, is_first_of_customer boolean, attributed_visitor_id uuid, attributed_session_at timestamptz
)
left join visitors as visitor on visitor.site_no = :siteNo::int and visitor.id = given.attributed_visitor_id
left join lateral (
  select session_no, started_at
  from sessions
  where
    sessions.site_no = :siteNo::int and sessions.visitor_no = visitor.visitor_no
    and sessions.started_at = given.attributed_session_at
  limit 1
) as session on true
order by given.paid_at, given.id
on conflict (site_no, at, payment_id) do nothing
returning at
