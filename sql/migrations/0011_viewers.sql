-- The role `viewer`, which reads and changes nothing.

alter table users drop constraint users_role_check;
alter table users add constraint users_role_check check (role in ('owner', 'admin', 'member', 'viewer'));
