-- Properties of the hits of one type and name, by the number of visitors that sent them.
select property.key, property.value, count(distinct visitor_no) as visitors
from filtered_hits
cross join lateral jsonb_each_text(props) as property
where type = (select event_type from asked) and name = (select event_name from asked)
group by 1, 2
order by count(distinct visitor_no) desc, property.key collate "C", property.value collate "C"
limit (select "limit" from asked)
