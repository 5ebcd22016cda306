select secret from import_secrets where site_no = $1
