-- Values of a dimension of sessions, and the number of sessions that have each value.
select value, count(*) as found
from filtered_sessions
where value <> ''
group by value
