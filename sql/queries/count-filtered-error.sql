-- Number of the filtered hits, and number of sessions that started in the range and have such a hit.
select
  (select count(*) from filtered_hits) as occurrences,
  (select count(distinct session_no) from session_hits) as sessions
