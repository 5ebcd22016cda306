where (at, id collate "C") < ("afterAt"[1], "afterId" collate "C")
order by at desc, id collate "C" desc
limit (select "limit" from params)
