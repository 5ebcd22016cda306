insert into import_secrets (site_no, secret)
values ($1, $2)
on conflict (site_no) do nothing
