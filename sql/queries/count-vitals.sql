-- Distinct measures of each metric, ascending, and the number of reports with each. One scan for all metrics.
select
  metric,
  array_send(array_agg(measure order by measure)) as measures,
  array_send(array_agg(reports order by measure)) as counts
from (
  select
    case
      when grouping(lcp) = 0 then 'lcp'
      when grouping(inp) = 0 then 'inp'
      when grouping(cls) = 0 then 'cls'
      when grouping(fcp) = 0 then 'fcp'
      else 'ttfb'
    end as metric,
    coalesce(lcp, inp, cls, fcp, ttfb) as measure,
    count(*)::int as reports
  from filtered_vitals
  group by grouping sets ((lcp), (inp), (cls), (fcp), (ttfb))
) as counted
where measure is not null
group by metric
