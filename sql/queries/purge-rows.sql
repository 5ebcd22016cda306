-- Deletes at most :limit rows of a site from each table that is not a hypertable. The first call deletes all processor secrets.
-- Returns the number of deleted rows.
with
  gone_connections as (delete from processor_connections where site_no = :siteNo::int returning 1),
  gone_secrets as (delete from import_secrets where site_no = :siteNo::int returning 1),
  gone_goals as (delete from goals where site_no = :siteNo::int returning 1),
  gone_identities as (
    delete from identities
    where
      site_no = :siteNo::int
      and identifier in (select identifier from identities where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_visitors as (
    delete from visitors
    where visitor_no in (select visitor_no from visitors where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_payments as (
    delete from payments
    where id in (select id from payments where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_awaiting as (
    delete from awaiting_visitors
    where
      site_no = :siteNo::int
      and (visitor_id, target, at, id) in (
        select visitor_id, target, at, id from awaiting_visitors where site_no = :siteNo::int limit :limit::int
      )
    returning 1
  ),
  gone_aliases as (
    delete from payment_aliases
    where
      site_no = :siteNo::int
      and transaction_id in (select transaction_id from payment_aliases where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_subscriptions as (
    delete from subscriptions
    where
      site_no = :siteNo::int
      and subscription_id in (select subscription_id from subscriptions where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_facts as (
    delete from processor_facts
    where
      site_no = :siteNo::int
      and event_id in (select event_id from processor_facts where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_dependents as (
    delete from price_dependents
    where
      site_no = :siteNo::int
      and (object_id, holder_id) in (
        select object_id, holder_id from price_dependents where site_no = :siteNo::int limit :limit::int
      )
    returning 1
  ),
  gone_stale as (
    delete from recompute_queue
    where
      site_no = :siteNo::int
      and subscription_id in (
        select subscription_id from recompute_queue where site_no = :siteNo::int limit :limit::int
      )
    returning 1
  ),
  gone_lifecycle_events as (
    delete from lifecycle_events
    where
      site_no = :siteNo::int
      and (subscription_id, name, key) in (
        select subscription_id, name, key from lifecycle_events where site_no = :siteNo::int limit :limit::int
      )
    returning 1
  ),
  gone_webhook_events as (
    delete from webhook_events
    where
      site_no = :siteNo::int
      and event_id in (select event_id from webhook_events where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_errors as (
    delete from error_groups
    where
      site_no = :siteNo::int
      and error_id in (select error_id from error_groups where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_daily_values as (
    delete from daily_values
    where
      site_no = :siteNo::int
      and (day, kind) in (select day, kind from daily_values where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_spans as (delete from rollup_spans where site_no = :siteNo::int returning 1),
  gone_days as (delete from daily_rollups where site_no = :siteNo::int returning 1),
  gone_values as (
    delete from daily_value_rollups
    where
      site_no = :siteNo::int
      and (dimension, starts_at, ends_at) in (
        select dimension, starts_at, ends_at from daily_value_rollups where site_no = :siteNo::int limit :limit::int
      )
    returning 1
  ),
  gone_texts as (
    delete from value_dictionary
    where value_id in (select value_id from value_dictionary where site_no = :siteNo::int limit :limit::int)
    returning 1
  ),
  gone_marks as (delete from dirty_buckets where site_no = :siteNo::int and aggregate = 'daily_rollups' returning 1),
  gone_letters as (
    delete from dead_letters
    where id in (select id from dead_letters where site_no = :siteNo::int limit :limit::int)
    returning 1
  )
select (
  (select count(*) from gone_connections)
  + (select count(*) from gone_secrets)
  + (select count(*) from gone_goals)
  + (select count(*) from gone_identities)
  + (select count(*) from gone_visitors)
  + (select count(*) from gone_payments)
  + (select count(*) from gone_awaiting)
  + (select count(*) from gone_aliases)
  + (select count(*) from gone_subscriptions)
  + (select count(*) from gone_facts)
  + (select count(*) from gone_dependents)
  + (select count(*) from gone_stale)
  + (select count(*) from gone_lifecycle_events)
  + (select count(*) from gone_webhook_events)
  + (select count(*) from gone_errors)
  + (select count(*) from gone_daily_values)
  + (select count(*) from gone_spans)
  + (select count(*) from gone_days)
  + (select count(*) from gone_values)
  + (select count(*) from gone_texts)
  + (select count(*) from gone_marks)
  + (select count(*) from gone_letters)
)::int as count
