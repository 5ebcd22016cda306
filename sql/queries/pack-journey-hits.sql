-- The hits of journeys, as `pack-funnel-moments` sends moments. Without `offset 0`, each part would make the bytes of all again.
select
  {moments_part},
  substring(texts from part * 262144 + 1 for 262144) as texts
from (
  select *, generate_series(0, coalesce(greatest(length(moments), length(texts)) - 1, 0) / 262144) as part
  from (
    select
      hits,
      {sent_moments},
      case when hits <= (select "mostMoments" from params) then array_send(texts) end as texts
    from (
      select count(*) as hits, array_agg(moment) as moments, array_agg(at) as times, array_agg(value) as texts
      from journey_hits
    ) as collected
    offset 0
  ) as sent
) as numbered
