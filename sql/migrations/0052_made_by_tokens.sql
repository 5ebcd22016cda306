-- What a token makes ends with it: its invitations and shares are deleted with the token, and its webhooks send no more. null: a browser made
-- it, or it is from before. No token gets the scope `admin`: it is given by name.
alter table invitations add column token_id uuid references tokens on delete cascade;
create index invitations_by_token on invitations (token_id) where token_id is not null;

alter table shares add column token_id uuid references tokens on delete cascade;
create index shares_by_token on shares (token_id) where token_id is not null;

-- Not a foreign key: it stays when the token is deleted, and the webhook is off from then on.
alter table webhook_endpoints add column token_id uuid;
