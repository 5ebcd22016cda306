-- As the common one: a function keeps marks from being set while it deletes them.
select from delete_old_recent_hits(:before::timestamptz)
