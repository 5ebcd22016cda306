-- Forgets what is folded of site $1; readers take its days from raw rows.
with
  gone_days as (delete from day_folds where site_no = $1::int),
  gone_values as (delete from value_folds where site_no = $1::int)
delete from fold_spans where site_no = $1::int
