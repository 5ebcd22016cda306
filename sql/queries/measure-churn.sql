-- MRR in the currency of the site: what was lost after `start` (churn and contraction, above 0), and what there was before.
select
  wanted.rule_id as "ruleId",
  coalesce((
    select -sum(amount_minor)
    from mrr_changes
    where
      mrr_changes.site_no = wanted.site_no
      and currency = sites.currency
      and at > wanted.start
      and at <= :now::timestamptz
      and kind in ('churn', 'contraction')
  ), 0)::float8 as lost,
  coalesce((
    select sum(amount_minor)
    from mrr_changes
    where mrr_changes.site_no = wanted.site_no and currency = sites.currency and at <= wanted.start
  ), 0)::float8 as before
from unnest(:ruleIds::uuid[], :siteNos::int[], :starts::timestamptz[]) as wanted (rule_id, site_no, start)
join sites on sites.site_no = wanted.site_no
