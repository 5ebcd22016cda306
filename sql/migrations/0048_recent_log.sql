-- Readers of the event log of a busy site add the last hits by type from counts.

-- Hits by type, service events included, as in log_15m; types without hits are absent. Null: counting began without types.
alter table recent_hits add column types jsonb;
