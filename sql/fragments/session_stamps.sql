-- Stamps of the sessions of a site, merged and new.
select stamp, starts_at from stamps where site_no = :siteNo::int and kind = 'sessions'
union all
select stamp, starts_at from new_stamps where site_no = :siteNo::int and kind = 'sessions'
