// Statements of tables whose rows stand in an archive as they are. Lines have all columns but the number of the site, so that a column that is
// added later is in the archive, too.

/** A value of each type that comes before the first key of a site. */
const FIRST = {
  text: '',
  uuid: '00000000-0000-0000-0000-000000000000',
  int: '-1',
  bigint: '0',
  timestamptz: '-infinity',
  boolean: 'false',
}
type KeyType = keyof typeof FIRST

/** Columns of a unique index after the number of the site, and their types: rows are read in its order. */
type Key = Record<string, KeyType>

/**
 * Returns a statement that reads the rows of a site after a key, as lines (`After`, `KeyedLine`).
 * @param options.without columns that only this database knows
 * @param options.where which rows; all of the site unless given
 */
export function archiveText(
  table: string,
  key: Key,
  { without = [], where }: { without?: string[]; where?: string } = {},
): string {
  const columns = Object.keys(key).map(name => `${table}.${name}`)
  const after = Object.values(key).map(
    (type, index) => `coalesce(nullif((:key::text[])[${index + 1}], ''), '${FIRST[type]}')::${type}`,
  )
  return `select
    array[${columns.map(column => `${column}::text`).join(', ')}] as key,
    (to_jsonb(${table}) - '{${['site_no', ...without].join(',')}}'::text[])::text as line
  from ${table}
  where site_no = :siteNo::int${where ? ` and ${where}` : ''}
    and (${columns.join(', ')}) > (${after.join(', ')})
  order by ${columns.join(', ')}
  limit :limit::int`
}

/** Which rows are of days whose details were dropped. */
export const BEFORE_DETAILS = 'ends_at <= (select details_from from sites where sites.site_no = :siteNo::int)'

/**
 * Returns a statement that stores lines as rows of a site (`Rows`).
 * @param options.onConflict what is done with a row that is there already; an error unless given
 * @param options.values SQL of columns that the lines lack
 */
export function restoreText(
  table: string,
  { onConflict, values = {} }: { onConflict?: string; values?: Record<string, string> } = {},
): string {
  const given = Object.entries({ site_no: ':siteNo::int', ...values }).map(
    ([name, sql]) => `'${name}', ${sql}`,
  )
  return `insert into ${table}
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) as line
  cross join lateral jsonb_populate_record(
    null::${table}, line || jsonb_build_object(${given.join(', ')})
  ) as given${onConflict ? `\n  on conflict ${onConflict}` : ''}`
}
