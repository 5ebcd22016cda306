select secret, has_random_ids as "hasRandomIds" from import_secrets where site_no = $1
