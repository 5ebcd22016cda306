-- Payments after the one at :at with :id, with their other ids, and what their ledger row says: to which visitor and session they are
-- attributed, and whether they are the first of their customer.
select
  payments.paid_at::text as at,
  payments.id::text as id,
  (
    to_jsonb(payments) - 'site_no'
    || jsonb_build_object(
      'aliases', (
        select coalesce(jsonb_agg(payment_aliases.transaction_id order by payment_aliases.transaction_id), '[]')
        from payment_aliases
        where payment_aliases.site_no = :siteNo::int and payment_aliases.payment_id = payments.id
      ),
      'is_first_of_customer', ledger.is_first_of_customer,
      'attributed_visitor_id', (select visitors.id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = ledger.visitor_no),
      'attributed_session_at', ledger.session_at
    )
  )::text as line
from payments
left join lateral (
  select visitor_no, session_at, is_first_of_customer
  from revenue
  where revenue.site_no = :siteNo::int and revenue.at = payments.paid_at and revenue.payment_id = payments.id
  limit 1
) as ledger on true
where payments.site_no = :siteNo::int and (payments.paid_at, payments.id) > (:at::text::timestamptz, :id::text::uuid)
order by payments.paid_at, payments.id
limit :limit::int
