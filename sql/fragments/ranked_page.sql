-- The page of `ranked`, most visitors first, with the total number of values; one row with nulls where the page is empty.
select total.total, page.*
from (select count(*) as total from ranked) as total
left join lateral (
  select *
  from ranked
  order by visitors desc, sessions desc, value collate "C"
  limit (select "limit" from params)
  offset (select "offset" from params)
) as page on true
order by page.visitors desc, page.sessions desc, page.value collate "C"
