-- At most $3 lookups of site $1 to make now: those that are due, and those of ids $2 that are not missing at the processor.
-- The lookup of a cut subscription also has the event that left items out.
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
