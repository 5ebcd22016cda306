-- Values of a dimension of hits, by the number of hits.
select value
from filtered_hits
where value <> ''
group by value
order by count(*) desc, value collate "C"
limit (select "limit" from asked)
