-- Keys of the customers that a person is: of payments by the visitors :visitorIds, in the sessions :sessionNos, or under :person as
-- customer or e-mail address; of payments under the same e-mail address as one of them; and of the processor's customers whose
-- visitor was named as one of :visitorIds.
with
paid as materialized (
  select customer, lower(email) as email
  from payments
  where site_no = :siteNo::int
    and (
      visitor_id = any(:visitorIds::uuid[])
      or customer_id = :person::text
      or lower(email) = lower(:person::text)
      or id = any(array(
        select payment_id from revenue where site_no = :siteNo::int and session_no = any(:sessionNos::bigint[])
      ))
    )
)
select customer from paid where customer is not null
union
select customer
from payments
where site_no = :siteNo::int and customer is not null and lower(email) = any(array(select email from paid))
union
select 'c:' || customer_id
from processor_facts
where site_no = :siteNo::int and visitor_id = any(:visitorIds::uuid[]) and customer_id is not null
