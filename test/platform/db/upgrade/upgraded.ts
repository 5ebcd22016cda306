import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { connectDb, type Db } from '../../../../src/platform/db/connect.ts'
import { type Answer, startApi } from '../../../support/api.ts'
import { folderOfCase } from '../../../support/data-dir.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { inProcessPool } from '../../../support/in-process-pool.ts'
import { type Answered, BASE_URL, unpackDataFolder } from './fixture.ts'

/** What 0.2.0 left behind. */
export const VERSION_0_2_0 = join(import.meta.dirname, '0.2.0')

/** Fields whose value differs between any two answers. */
const OF_THE_REQUEST = ['request_id', 'last_used_at']

/** Numbers and texts that were changed on purpose since 0.2.0. */
const CHANGED: { path: RegExp; field: RegExp; reason: string }[] = [
  {
    path: /\/stats\/goals\?|[?&](goal|\w+\[matches_pattern\])=/,
    field: /./,
    reason:
      'A pattern matches a value with and without a slash at its end: the goals of the fixture count more',
  },
]

/** Connects to a database until the test has finished. */
export function connect(url: string): Db {
  const db = connectDb(url, { max: 4, name: 'test', connectWithin: 60 })
  onTestFinished(() => db.end({ timeout: 5 }))
  return db
}

/** Returns a new data folder of 0.2.0, which goes with the test. */
export function oldDataFolder(): string {
  const dataDir = folderOfCase('upgrade')
  unpackDataFolder(VERSION_0_2_0, dataDir)
  return dataDir
}

/** Expects that a database answers every read as it was answered before. Fields that are new are passed over. */
export async function expectSameAnswers(
  database: Omit<TestDatabase, 'close'>,
  answers: Answered[],
): Promise<void> {
  let now = new Date()
  const api = await startApi({
    database: { ...database, close: async () => {} },
    pool: inProcessPool(database.db),
    config: { baseUrl: BASE_URL },
    now: () => now,
  })
  const different: string[] = []
  for (const { path, token, at, status, body } of answers) {
    now = new Date(at)
    const answer = await whenFree(() => api.call('GET', path, { token }))
    const isChanged = (field: string) => CHANGED.some(each => each.path.test(path) && each.field.test(field))
    const fields = differences({ status, body }, { status: answer.status, body: answer.body })
    for (const { field, text } of fields) if (!isChanged(field)) different.push(`${path}: ${field}: ${text}`)
  }
  await api.close()
  expect(different).toEqual([])
}

/** A busy machine answers 503, and is asked again. */
async function whenFree(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = 10; ; left--) {
    const answer = await ask()
    if (answer.status !== 503 || left === 0) return answer
  }
}

interface Difference {
  field: string
  text: string
}

function differences(before: unknown, after: unknown, field = ''): Difference[] {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return Object.is(before, after) ? [] : [{ field, text: `${shown(before)} became ${shown(after)}` }]
  if (Array.isArray(before) && before.length !== (after as unknown[]).length)
    return [{ field, text: `${shown(before)} became ${shown(after)}` }]
  return Object.entries(before)
    .filter(([name]) => !OF_THE_REQUEST.includes(name))
    .flatMap(([name, value]) =>
      differences(value, (after as Record<string, unknown>)[name], `${field}.${name}`),
    )
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 300)

/** Returns what the schema of the service consists of. */
export async function schemaOf(db: Db): Promise<string[]> {
  const rows = await db<{ text: string }[]>`
    select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as text
    from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger
    where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all select pg_get_functiondef(oid) from pg_proc
    where pronamespace = 'public'::regnamespace and prokind <> 'a'
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all select viewname || ' ' || definition from pg_views where schemaname = 'public'
    order by 1`
  // Tables of continuous aggregates are numbered as they were made.
  return rows.map(({ text }) => text.replace(/(_materialized_hypertable|_view)_\d+/g, '$1'))
}
