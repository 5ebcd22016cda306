-- Every value that a dimension has among hits.
select distinct value from kept_hits
