-- Values of a dimension of sessions, and how many of them have each.
select value, count(*) as found
from kept_sessions
where value <> ''
group by value
