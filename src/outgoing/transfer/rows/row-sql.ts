// How lines name what has another number in each database.

export const emailOf = (user: string) => `(select email from users where users.id = ${user})`
/** The user of the team that gets the site: until it is whole, a team has it that knows that one. */
export const userOf = (field: string) =>
  `(select users.id from sites join teams on teams.id = sites.team_id join users on users.team_id = teams.restores_to
    where sites.site_no = :siteNo::int and users.email = line ->> '${field}')`

export const visitorOf = (number: string) =>
  `(select visitors.id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = ${number})`
/** What the archive says of a visitor and a session: the id of the visitor, and the start of the session. */
export const ATTRIBUTED = {
  join: `left join visitors as visitor
    on visitor.site_no = :siteNo::int and visitor.id = (line ->> 'attributed_visitor_id')::uuid
  left join lateral (
    select session_no, started_at from sessions
    where sessions.site_no = :siteNo::int and sessions.visitor_no = visitor.visitor_no
      and sessions.started_at = (line ->> 'attributed_session_at')::timestamptz
    limit 1
  ) as session on true`,
  values: {
    visitor_no: 'visitor.visitor_no',
    session_no: 'session.session_no',
    session_at: 'session.started_at',
  },
}

/** Families with their import, and their place among those of it: their numbers are of one database. */
export const familiesOf = (shown = '') => `(
    select family_no, totals_imports.id as import_id,
      row_number() over (partition by import_no order by family_no) as place
    from totals_families
    join totals_imports using (site_no, import_no)
    where site_no = :siteNo::int${shown}
  ) as family`
