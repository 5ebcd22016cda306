-- Whether a payment processor is connected to site $1.
select exists (select from processor_connections where site_no = $1) as "isConnected"
