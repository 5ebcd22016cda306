-- Whether the owner of the e-mail address of a login has proved that it is theirs, and how many invitations a login mails.

-- When a link to the address, the operator or single sign-on has proved it last; null: whoever has the login has only said so.
alter table logins add column email_proven_at timestamptz;

-- Finds the shares of a user who is removed.
create index shares_by_user on shares (created_by) where created_by is not null;

-- UTC day of the last invitation that the login mailed, in whatever team, and how many it mailed on it.
alter table logins add column mail_day date;
alter table logins add column mail_count integer not null default 0;
