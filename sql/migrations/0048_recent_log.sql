-- Readers of the event log of a busy site add the last hits by type from counts.

-- types: hits by type, service events included, as in log_15m; types without hits are absent. They belong to the row while types_version is
-- its version: a process of an earlier version counts on without types.
alter table recent_hits
  add column types jsonb,
  add column types_version bigint;
