-- Deletion of teams, their names, who knows the link of an invitation, and how many invitations a team mails.

-- Set by DELETE. From then on nothing of the team is served; its row goes when all data of its sites is gone.
alter table teams add column deleted_at timestamptz;
create index teams_to_purge on teams (deleted_at) where deleted_at is not null;

-- UTC day of the last mailed invitation, and how many were mailed on it.
alter table teams add column mail_day date;
alter table teams add column mail_count integer not null default 0;

-- The user who was shown the link: the invitation ends with that membership, so that nobody comes back by a link of their own.
alter table invitations add column user_id uuid references users on delete cascade;
create index invitations_by_user on invitations (user_id);

-- The team that the first start makes, whatever its name is by now.
alter table teams add column is_default boolean not null default false;
update teams
set is_default = true
where id = (select id from teams where name = 'Default' order by created_at, id limit 1);
create unique index teams_one_default on teams (is_default) where is_default and deleted_at is null;
