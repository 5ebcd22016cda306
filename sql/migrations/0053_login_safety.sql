-- Mails about changes of a login, new addresses that wait for their confirmation, and sessions that end 90 days after signing in.

-- Of mails about the login: the language of the browser that signed in last, or the one that the person chose. null: not known yet.
alter table logins add column language text;

-- address: confirms that the person of the login reads mails to a new address.
alter table one_time_links drop constraint one_time_links_purpose_check;
alter table one_time_links add constraint one_time_links_purpose_check check (purpose in ('setup', 'reset', 'recover', 'address'));
alter table one_time_links add column new_email text;
alter table one_time_links add constraint one_time_links_new_email_check check ((purpose = 'address') = (new_email is not null));

-- null: a mail about a login, which belongs to no site.
alter table queued_mails alter column site_no drop not null;
create index queued_mails_of_logins on queued_mails (address, created_at) where site_no is null;

update browser_sessions set expires_at = least(expires_at, created_at + interval '90 days');
