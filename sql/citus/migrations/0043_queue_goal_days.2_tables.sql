-- Every row of a site lies in the shard of its number, in all of these tables; watermarks are on all servers. What remains is on the
-- coordinator alone: people and settings, which no statement joins with hits, and queues of the service. So people can sign in, and
-- settings be changed, while a worker is down.

set local citus.enable_ddl_propagation = on;
set local citus.multi_shard_modify_mode = 'sequential';

-- Sites that are being deleted: triggers on the workers leave their rows alone.
create table deleted_sites (site_no integer primary key);

do $$
declare
  reference text;
  distributed text;
  first_one text;
begin
  foreach reference in array array['watermarks', 'deleted_sites'] loop
    perform create_reference_table(reference);
  end loop;
  foreach distributed in array array[
    'events', 'sessions', 'visitors', 'identities', 'error_groups', 'daily_values', 'web_vitals', 'session_replays',
    'replay_chunks', 'payments', 'payment_aliases', 'revenue', 'awaiting_visitors', 'webhook_events', 'processor_facts',
    'subscriptions', 'mrr_movements', 'lifecycle_events', 'price_dependents', 'recompute_queue', 'customers', 'mrr_changes',
    'money_sessions', 'dirty_buckets', 'daily_rollups', 'daily_value_rollups', 'daily_goal_rollups', 'daily_goal_counts',
    'value_dictionary', 'rollup_spans', 'kept_hit_buckets', 'kept_session_buckets', 'erasure_items', 'erased_payers',
    'revenue_import_work', 'exported_days'
  ] loop
    perform create_distributed_table(distributed, 'site_no', colocate_with => coalesce(first_one, 'none'));
    first_one := coalesce(first_one, distributed);
  end loop;
end
$$;
