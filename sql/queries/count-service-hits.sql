-- Events of site $1 in [$2, $3) that the service wrote itself, by name.
select name, count(*) as hits
from events
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz and is_service
group by 1
