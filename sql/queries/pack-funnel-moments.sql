-- All moments of a funnel in a few values, cut into rows of 256 KB: the driver reads a row in one step. One plain aggregate, since
-- without statistics a group would be a sort. The columns are null where there are more than `mostMoments`.
select
  {moments_part},
  substring(owners from part * 262144 + 1 for 262144) as owners,
  substring(texts from part * 262144 + 1 for 262144) as texts
from (
  select
    *,
    generate_series(0, coalesce(greatest(length(moments), length(texts)) - 1, 0) / 262144) as part
  from (
    select
      hits,
      {sent_moments},
      case when hits <= (select "mostMoments" from params) then array_send(owners) end as owners,
      case when hits <= (select "mostMoments" from params) then array_send(texts) end as texts
    from (
      select
        count(*) as hits,
        array_agg(moment) as moments,
        array_agg(at) as times,
        array_agg(owner_no) filter (where owner_no is not null) as owners,
        array_agg(value) filter (where value is not null) as texts
      from funnel_moments
    ) as collected
    -- Without "offset 0", each part would make the bytes of all again.
    offset 0
  ) as sent
) as numbered
