-- Orders the rows of `ranked` and selects one page of them. The sort keys are rounded as answers show them.
-- `amount`: a number of the values that is counted elsewhere, such as money; absent values have none.
keyed as materialized (
  select
    ranked.*,
    case (select sort from params)
      when 'visitors' then visitors
      when 'sessions' then sessions
      when 'pageviews' then pageviews
      when 'views_per_visit' then coalesce(round(pageviews * 1.0 / nullif(sessions, 0), 2), 0)
      when 'bounce_rate' then coalesce(round(bounces * 100.0 / nullif(sessions, 0), 2), 0)
      when 'avg_session_seconds' then coalesce(round(duration_ms / nullif(sessions * 1000.0, 0), 2), 0)
      when 'converting_visitors' then coalesce(amount, 0)
      when 'conversion_rate' then coalesce(round(amount * 100.0 / nullif(visitors, 0), 1), 0)
      -- The zeros keep sixteen decimals of the quotient, however large it is.
      when 'revenue_per_visitor' then coalesce(round(amount * 1.0000000000000000 / nullif(visitors, 0), 2), 0)
      when 'revenue' then coalesce(amount, 0)
      when 'mrr' then coalesce(amount, 0)
    end::numeric as key
  from ranked
  left join (
    select unnest("amountValues") as value, unnest(amounts)::numeric as amount
    from params
  ) as given using (value)
),
ordered as (
  select
    keyed.*,
    row_number() over (
      order by
        case when (select "order" from params) = 'asc' then key else -key end nulls last,
        case when (select sort || "order" from params) = 'valueasc' then value end collate "C",
        case when (select sort || "order" from params) = 'valuedesc' then value end collate "C" desc,
        visitors desc,
        case when (select sort from params) = 'visitors' then sessions end desc,
        value collate "C"
    ) as place
  from keyed
)
select
  total.total,
  value,
  visitors,
  pageviews,
  sessions,
  bounces,
  duration_ms::float8 as "durationMs"
from (select count(*) as total from ranked) as total
left join (
  select *
  from ordered
  where place > (select "offset" from params) and place <= (select "offset" + "limit" from params)
) as page on true
order by place
