-- Values of a dimension of sessions, by the number of sessions.
select value
from filtered_sessions
where value <> ''
group by value
order by count(*) desc, value collate "C"
limit (select "limit" from asked)
