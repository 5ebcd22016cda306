-- How many of the hits there are, and in how many sessions that started in the range.
select
  (select count(*) from kept_hits) as occurrences,
  (select count(distinct session_no) from seen_hits) as sessions
