-- Functions that triggers of distributed tables call, on the worker that has the row: so the workers have them too.
do $$
declare
  definition text;
begin
  for definition in
    select pg_get_functiondef(pg_proc.oid)
    from pg_proc
    where pronamespace = 'public'::regnamespace and prokind = 'f'
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  loop
    execute definition;
  end loop;
end
$$;
