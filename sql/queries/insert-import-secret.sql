insert into import_secrets (site_no, secret, has_random_ids)
values ($1, $2, false)
on conflict (site_no) do nothing
