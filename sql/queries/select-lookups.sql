-- What must be asked for of site $1 by now: what is due, and of ids $2 all that the processor has; at most $3 of them.
-- Of a cut subscription also the event that left items out.
select
  object_id as id,
  body ->> 'of' as of,
  body ->> 'eventId' as "eventId",
  (body ->> 'eventAt')::bigint as "eventAt"
from processor_facts
where
  site_no = $1::int
  and kind = 'lookup'
  and (at <= now() or (object_id = any($2::text[]) and not (body ->> 'isMissing')::boolean))
order by object_id = any($2::text[]) desc, at, object_id
limit $3::int
