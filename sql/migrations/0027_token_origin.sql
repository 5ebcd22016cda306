-- Which token made a token, so that a token that leaked can be revoked with all that was made through it.

alter table tokens
  -- As it was: it stays when that token is gone. Null for a token of the command line. No reference: a process of the previous
  -- version deletes tokens without looking at this.
  add column created_by uuid,
  -- The tokens it was made through that still exist. Revoking one alone takes it out here, so that no chain grows for ever, and
  -- leaves its successors under those before it.
  add column made_through uuid[] not null default '{}';

create index tokens_by_user on tokens (user_id);
