-- As the common one: the changes come from the shards first.
with changes as materialized (
  select site_no, currency, at, kind, amount_minor
  from mrr_changes
  where site_no = any(:siteNos::int[]) and at <= :now::timestamptz
)
select
  wanted.rule_id as "ruleId",
  coalesce((
    select -sum(amount_minor)
    from changes
    where
      changes.site_no = wanted.site_no
      and currency = sites.currency
      and at > wanted.start
      and kind in ('churn', 'contraction')
  ), 0)::float8 as lost,
  coalesce((
    select sum(amount_minor)
    from changes
    where changes.site_no = wanted.site_no and currency = sites.currency and at <= wanted.start
  ), 0)::float8 as before
from unnest(:ruleIds::uuid[], :siteNos::int[], :starts::timestamptz[]) as wanted (rule_id, site_no, start)
join sites on sites.site_no = wanted.site_no
