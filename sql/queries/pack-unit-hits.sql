-- The hits of some units, as `pack-funnel-moments` sends moments.
select
  {moments_part},
  substring(owners from part * 262144 + 1 for 262144) as owners
from (
  select *, generate_series(0, coalesce(length(moments) - 1, 0) / 262144) as part
  from (
    select
      hits,
      {sent_moments},
      case when hits <= (select "mostMoments" from params) then array_send(owners) end as owners
    from (
      select
        count(*) as hits,
        array_agg(moment) as moments,
        array_agg(at) as times,
        array_agg(owner_no) filter (where owner_no is not null) as owners
      from unit_hits
    ) as collected
    -- Without "offset 0", each part would make the bytes of all again.
    offset 0
  ) as sent
) as numbered
