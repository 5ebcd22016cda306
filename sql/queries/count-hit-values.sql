-- Values of a dimension of hits, and the number of hits that have each value.
select value, count(*) as found
from filtered_hits
where value <> ''
group by value
