-- What takes up room of a hit and of a session, and is said elsewhere or read by nothing. It holds for what is stored from
-- now on; rows that are there stay as they are, and are read alike.

-- `url` is empty where the URL as sent is `path` followed by `query`: a page's URLs are many, its path is one.
alter table events add column query text not null default '';

-- Of the session a hit carries what can be filtered by; the rest its session has.
alter table events
  alter column browser_version drop not null,
  alter column os_version drop not null,
  alter column language drop not null;

-- A session is known by its site, start and number.
alter table sessions alter column id drop not null;
-- Width and height of the screen as one text, `1920x1080`: of the few there are, a number is kept, where two numbers a session
-- would be. Earlier sessions have them in `screen_width` and `screen_height`.
alter table sessions add column screen text not null default '';

-- Whether hits of the site were imported under ids that were random from end to end, by which they are recognised still.
-- True where nothing is said: who does not know of the column makes such ids.
alter table import_secrets add column has_random_ids boolean not null default true;

-- As 0019 has it for hits: sessions are looked for by visitor, and by their start.
do $$
begin
  if (
    select string_to_array(split_part(extversion, '-', 1), '.')::int[] >= '{2,23}'
    from pg_extension
    where extname = 'timescaledb'
  ) then
    alter table sessions set (timescaledb.sparse_index = 'bloom(visitor_no)');
  end if;
end
$$;
