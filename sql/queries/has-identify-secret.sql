select identify_secret is not null as "isSet" from sites where site_no = $1 and deleted_at is null
