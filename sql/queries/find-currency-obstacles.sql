-- What keeps site $1 from reporting in currency $2.
select
  exists (select from goals where site_no = $1::int and currency is not null) as "hasRevenueGoals",
  exists (select from payments where site_no = $1::int and currency <> $2::text) as "hasForeignPayments"
