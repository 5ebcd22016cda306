-- Unix milliseconds of the first pageview or event of site $1, null without one. No row for a site that does not exist.
select (extract(epoch from first_event_at) * 1000)::bigint as at from sites where site_no = $1::int
