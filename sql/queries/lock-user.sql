-- Makes changes to the tokens of user $2 of team $1 run one after the other, so that the next statement sees all of them. Not
-- `for update`: it would also block transactions that only refer to the user.
select id
from users
where team_id = $1 and id = $2
for no key update
