-- Values of a dimension of hits, and how many of them have each.
select value, count(*) as found
from kept_hits
where value <> ''
group by value
