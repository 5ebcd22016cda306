select id, payload
from dead_letters
where id = any($1::uuid[])
