-- Changes to the tokens of user $2 of team $1 wait for one another here, so that the next statement sees all of them. Not
-- `for update`, which would also hold up everybody who only refers to the user.
select id
from users
where team_id = $1 and id = $2
for no key update
