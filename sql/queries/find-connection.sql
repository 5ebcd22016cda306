select connected_at as "connectedAt" from processor_connections where site_no = $1
