-- Sites whose shard is on a worker that does not answer. Each worker is asked once; sites are looked up only if one is silent.
with silent as materialized (
  select groupid
  from pg_dist_node
  where isactive and groupid > 0 and noderole = 'primary' and not citus_check_connection_to_node(nodename, nodeport)
),
lost as materialized (
  select pg_dist_placement.shardid
  from pg_dist_placement
  join silent using (groupid)
  join pg_dist_shard on pg_dist_shard.shardid = pg_dist_placement.shardid and logicalrelid = 'events'::regclass
)
select site_no as "siteNo"
from sites
where deleted_at is null
  and exists (select from lost)
  and get_shard_id_for_distribution_column('events', site_no) in (select shardid from lost)
