-- Distinct visitors of all conversions.
select count(distinct visitor_no) as visitors from conversions
