-- Movements of MRR after the one at :at with :id.
select
  at::text as at,
  id::text as id,
  (
    to_jsonb(mrr_movements) - array['site_no', 'visitor_no', 'session_no', 'session_at']
    || jsonb_build_object(
      'attributed_visitor_id', (select visitors.id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = mrr_movements.visitor_no),
      'attributed_session_at', session_at
    )
  )::text as line
from mrr_movements
where site_no = :siteNo::int and (mrr_movements.at, mrr_movements.id) > (:at::text::timestamptz, :id::text::uuid)
order by mrr_movements.at, mrr_movements.id
limit :limit::int
