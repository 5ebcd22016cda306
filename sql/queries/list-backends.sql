-- Process ids of the server's sessions in this database, to read their resource usage when the server is on this machine.
select pid
from pg_stat_activity
where datname = current_database()
