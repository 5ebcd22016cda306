-- Distinct visitors of all conversions.
select count(visitor_no) as visitors from (select visitor_no from conversions group by 1) as visitor
