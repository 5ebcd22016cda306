insert into users (team_id, email, role)
values ($1, $2, $3)
on conflict (team_id, email) do update set role = excluded.role
returning id
