-- Sessions and people as lists: what is looked up by session, and who was identified.

create index revenue_by_session on revenue (session_no) where session_no is not null;
create index mrr_movements_by_session on mrr_movements (session_no) where session_no is not null;
-- Only sessions of identified users: others cost nothing.
create index sessions_of_users on sessions (site_no, started_at) where user_id <> '';
