-- Customers of site :siteNo in :currency that the filters on the first visit, the search and the status keep.
select *
from customers
where site_no = :siteNo::int and currency = :currency::text
  and {first_visit_passes}
  and (
    :search::text = ''
    or strpos(lower(concat_ws(' ',
      case when :seesMail::boolean or customer not like 'e:%' then substr(customer, 3) end,
      case when :seesMail::boolean then email end,
      name
    )), :search::text) > 0
  )
  and :status::text in (
    '', case when mrr_minor > 0 then 'active' when subscribed_at is not null then 'churned' else 'one_time' end
  )
