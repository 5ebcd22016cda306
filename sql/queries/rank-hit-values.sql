-- Values of a dimension of hits, by the hits that have them.
select value
from kept_hits
where value <> ''
group by value
order by count(*) desc, value collate "C"
limit (select "limit" from asked)
