-- Values of a dimension of sessions, by the sessions that have them.
select value
from kept_sessions
where value <> ''
group by value
order by count(*) desc, value collate "C"
limit (select "limit" from asked)
