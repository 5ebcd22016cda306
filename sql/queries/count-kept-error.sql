-- How often the error `asked.error_id` occurred, and in how many sessions that started in the range.
select
  (select count(*) from kept_hits where error_id::text = (select error_id from asked)) as occurrences,
  (select count(distinct session_no) from seen_hits where error_id::text = (select error_id from asked)) as sessions
