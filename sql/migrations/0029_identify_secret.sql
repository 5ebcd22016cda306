-- With it, a site takes only identities whose identifier its own server has signed. Encrypted; null for a site that takes any.
alter table sites add column identify_secret bytea;
