-- Records that dead letter $1 has failed again, for the reason $2.
update dead_letters
set reason = $2, failed_at = now()
where id = $1::uuid
