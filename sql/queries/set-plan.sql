update teams
set plan = $2, trial_ends_at = $3
where id = $1
returning id
