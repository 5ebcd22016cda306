-- Reasons why site $1 cannot report in currency $2.
select
  exists (select from goals where site_no = $1::int and currency is not null) as "hasRevenueGoals",
  exists (select from payments where site_no = $1::int and currency <> $2::text) as "hasForeignPayments"
