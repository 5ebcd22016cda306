where "afterAt" = '' or (at, id collate "C") < (nullif("afterAt", '')::timestamptz, "afterId" collate "C")
order by at desc, id collate "C" desc
limit (select "limit" from params)
