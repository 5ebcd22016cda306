-- Filtered reads are counted over columns in memory (0056).
drop table daily_session_columns;
alter table daily_rollups
  drop column session_parts,
  drop column session_columns_version,
  drop column open_session_nos,
  drop column open_sessions_from;
