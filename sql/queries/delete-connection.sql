delete from processor_connections where site_no = $1 returning site_no as "siteNo"
