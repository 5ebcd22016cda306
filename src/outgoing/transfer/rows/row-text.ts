import type { TableName } from '../../../platform/db/tables.ts'

// Statements of tables whose rows stand in a file as they are. Lines have all columns but the number of the site, so that a column that is
// added later is in the file, too.

/** A value of each type that comes before the first key of a site. */
const FIRST = {
  text: '',
  uuid: '00000000-0000-0000-0000-000000000000',
  int: '-1',
  bigint: '0',
  date: '-infinity',
  timestamptz: '-infinity',
  boolean: 'false',
}

/** SQL of values by the columns or fields that get them. */
type Values = Record<string, string>

interface Key {
  table: TableName
  /** Columns of a unique index after the number of the site, and their types: rows are read in its order. */
  key: Record<string, keyof typeof FIRST>
}

export interface Written extends Key {
  /** Columns that only this database knows. */
  without?: readonly string[]
  /** Fields that lines have besides. */
  more?: Values
  /** SQL of joins. */
  join?: string
  /** Which rows; all of the site unless given. */
  where?: string
}

/** Returns a statement that reads the rows of a site after a key, as lines (`After`, `KeyedLine`). */
export function readText({ table, key, without = [], more, join, where }: Written): string {
  const columns = Object.keys(key).map(name => `${table}.${name}`)
  const after = Object.values(key).map(
    (type, index) => `coalesce(nullif((:key::text[])[${index + 1}], ''), '${FIRST[type]}')::${type}`,
  )
  const left = `to_jsonb(${table}) - '{${['site_no', ...without].join(',')}}'::text[]`
  return `select
    array[${columns.map(column => `${column}::text`).join(', ')}] as key,
    (${left}${more ? ` || ${objectOf(more)}` : ''})::text as line
  from ${table}${join ? `\n  ${join}` : ''}
  where ${table}.site_no = :siteNo::int${where ? ` and ${where}` : ''}
    and (${columns.join(', ')}) > (${after.join(', ')})
  order by ${columns.join(', ')}
  limit :limit::int`
}

export interface Restored extends Key {
  /** SQL of columns that the lines lack; `line` is a line. */
  values?: Values
  join?: string
  where?: string
  /** The database numbers rows in the order of the lines. */
  isNumbered?: boolean
  orderBy?: string
  /** A row with the same key stays as it is; without it, or `onConflict`, it is an error. */
  isOnce?: boolean
  onConflict?: string
  returning?: string
}

/** Returns a statement that stores lines as rows of a site (`Rows`). */
export function restoreText(given: Restored): string {
  const { table, key, values, join, where, isNumbered, isOnce, returning } = given
  const orderBy = isNumbered ? 'lines.number' : given.orderBy
  const onConflict = isOnce ? `(${['site_no', ...Object.keys(key)].join(', ')}) do nothing` : given.onConflict
  const parts = [
    `insert into ${table}${isNumbered ? ' overriding user value' : ''}
  select given.*
  from jsonb_array_elements(:rows::text::jsonb)${isNumbered ? ' with ordinality as lines (line, number)' : ' as line'}`,
    join,
    `cross join lateral jsonb_populate_record(
    null::${table}, line || ${objectOf({ site_no: ':siteNo::int', ...values })}
  ) as given`,
    where && `where ${where}`,
    orderBy && `order by ${orderBy}`,
    onConflict && `on conflict ${onConflict}`,
    returning && `returning ${returning}`,
  ]
  return parts.filter(Boolean).join('\n  ')
}

const objectOf = (values: Values): string =>
  `jsonb_build_object(${Object.entries(values)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`
