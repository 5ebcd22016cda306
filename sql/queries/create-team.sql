insert into teams (name, plan, trial_ends_at)
values ($1, $2, $3)
returning id
