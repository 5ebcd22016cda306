import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { READ_TEXTS } from '../../../src/outgoing/transfer/rows/read-rows.ts'
import { ROW_FILES } from '../../../src/outgoing/transfer/rows/row-files.ts'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { compileQuery, queryFile } from '../../../src/platform/db/query.ts'
import { TABLES, type TableName } from '../../../src/platform/db/tables.ts'
import { COPIED_COLUMNS } from '../../../src/platform/dimensions/dimensions.ts'
import { dbOf, useDatabase } from '../../support/database.ts'

// What fails here names a table or column that `src/platform/db/tables.ts` or the list of an archive lacks.

const db = dbOf(useDatabase())

const names = Object.keys(TABLES) as TableName[]
const those = (is: (table: (typeof TABLES)[TableName], name: TableName) => boolean) =>
  names.filter(name => is(TABLES[name], name)).sort()

const FOLDER = join(projectRoot, 'sql', 'citus', 'migrations')
const citus = readdirSync(FOLDER)
  .sort()
  .map(file => readFileSync(join(FOLDER, file), 'utf8'))
  .join('\n')
const found = (pattern: RegExp, text = citus) => [...text.matchAll(pattern)].map(([, first]) => first!)
/** Tables that Citus alone has. */
const onlyThere = found(/create table (\w+)/g)
const known = (list: string[]) => list.filter(name => name in TABLES).sort()

/** Columns of the tables of a migrated database. */
async function columnsByTable(): Promise<Map<string, string[]>> {
  const rows = await db<{ name: string; columns: string[] }[]>`
    select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all(${onlyThere})
    group by 1`
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

test('every table has an entry, and every entry a table; one of a site has its number', async () => {
  const columns = await columnsByTable()
  expect([...columns.keys()].sort()).toEqual(those(() => true))
  const numbered = [...columns].filter(([, of]) => of.includes('site_no')).map(([name]) => name)
  expect(numbered.sort()).toEqual(those(({ owner }) => owner === 'site'))
})

test('rows of a table that go by a foreign key have one, down from a team, a site or a recipient', async () => {
  const rows = await db<{ name: TableName }[]>`
    select distinct conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confdeltype = 'c' and confrelid::regclass::text in ('teams', 'mail_recipients')`
  const byKey = new Set(rows.map(({ name }) => name))
  expect(those(({ purge }, name) => purge === 'key' && name !== 'teams' && !byKey.has(name))).toEqual([])
})

/** Columns that can name a visitor, a customer, or a person of the team. */
const NAMES_A_PERSON =
  /visitor_(no|id)|session_(no|id)|user_id|login_id|customer|email|identifier|address|^person$|_by$/

test('a table with a column that can name a person says what an erasure does with it', async () => {
  const columns = await columnsByTable()
  const silent = those(
    ({ erasure }, name) =>
      erasure === 'nothing' && columns.get(name)!.some(each => NAMES_A_PERSON.test(each)),
  )
  expect(silent).toEqual([])
})

/** Columns that no archive needs: what hits copy from their sessions or pages, what is counted again, and notes of one service. */
const LEFT_OUT: Partial<Record<TableName, readonly string[]>> = {
  events: COPIED_COLUMNS,
  sessions: ['duration_ms', 'exit_at'],
  web_vitals: [...COPIED_COLUMNS, 'visitor_no', 'title', 'props'],
  // In the line of the payment.
  revenue: ['currency', 'amount_minor', 'refunded_minor', 'is_recurring', 'session_no'],
  users: ['login_id'],
  teams: ['created_at', 'mail_day', 'mail_count', 'is_default', 'restores_to'],
}
const files: { table: TableName; key?: object; without?: readonly string[] }[] = Object.values(ROW_FILES)

test('each column of an archived table is in the archive, or left out by name', async () => {
  const columns = await columnsByTable()
  const inFiles = ['read-exported-hits', 'read-exported-sessions', 'read-exported-vitals']
  const texts = [
    ...[...inFiles, 'archive-kept-sessions', 'archive-service-events'].map(
      name => compileQuery(name, queryFile(name)).text,
    ),
    READ_TEXTS.payments!,
    readFileSync(join(projectRoot, 'src', 'outgoing', 'transfer', 'archive', 'team-rows.ts'), 'utf8'),
  ]
  const wrong = those(({ archive }) => archive.length > 0).map(name => {
    const file = files.find(({ table, key }) => table === name && key)
    const left = LEFT_OUT[name] ?? file?.without ?? []
    const read = texts.filter(text => new RegExp(`(from|join) ${name}\\b`).test(text)).join()
    const isRead = (column: string) => file !== undefined || new RegExp(`\\b${column}\\b`).test(read)
    const of = columns.get(name)!
    const missing = of.filter(column => !left.includes(column) && !isRead(column))
    return { name, missing, unknown: left.filter(column => !of.includes(column)) }
  })
  expect(wrong.filter(({ missing, unknown }) => missing.length + unknown.length > 0)).toEqual([])
})

test('a site or a team is archived, but for what is made again, and what belongs to one service alone', () => {
  const left = those(({ kind, archive }) => ['own', 'money', 'kept'].includes(kind) !== archive.length > 0)
  // Numbers of days without details are archived, although those of other days are made again.
  expect(left).toEqual(['customers', 'daily_rollups', 'daily_value_rollups', 'value_dictionary'])
})

test('Citus has the tables of sites where their entries say', () => {
  const listed = found(/(?:foreach distributed in array array\[)([^\]]*)/g).join()
  const distributed = [...found(/'(\w+)'/g, listed), ...found(/create_distributed_table\('(\w+)'/g)]
  expect(known(distributed)).toEqual(those(({ servers }) => servers === 'distributed'))
  const referenced = found(/'(\w+)'/g, found(/foreach reference in array array\[([^\]]*)/g).join())
  expect(known(referenced)).toEqual(those(({ servers }) => servers === 'reference'))
})

test('Citus purges the same tables by rows', () => {
  const [left] = found(/not in \(([^)]*'sites'[^)]*)\)/g)
  const byRows = those(({ owner }, name) => owner === 'site' && !left!.includes(`'${name}'`))
  expect(byRows).toEqual(those(({ purge }) => purge === 'rows'))
})
