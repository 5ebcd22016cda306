import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialect } from '../../src/db/dialect.ts'
import { compileQuery, statementText } from '../../src/db/query.ts'
import { sharedDatabase, type TestDatabase } from '../support/database.ts'
import { type DeclaredQuery, declaredQueries } from '../support/declared-queries.ts'

const isCitus = dialect().name === 'citus'
const declared = isCitus ? await declaredQueries() : []

/** Statements about one site, by the name of their parameter. */
const ofOneSite = declared.filter(
  ({ name, parameters }) => 'siteNo' in parameters && !ON_COORDINATOR_TOO().has(name),
)

/** These join rows of a site with tables of the coordinator: its part is sent along. */
function ON_COORDINATOR_TOO(): Set<string> {
  return new Set([])
}

const textOf = (query: DeclaredQuery) => compileQuery(query.name, statementText(query.name, query.text)).text

describe.skipIf(!isCitus)('on Citus, a statement about a site', () => {
  let database: TestDatabase
  let typeNames: Map<number, string>
  beforeAll(async () => {
    database = await sharedDatabase()
    const types = await database.db<{ oid: number; name: string }[]>`
      select oid::int as oid, format_type(oid, null) as name from pg_type`
    typeNames = new Map(types.map(({ oid, name }) => [oid, name]))
  })
  afterAll(() => database.close())

  test.each(ofOneSite)('$name is sent to one shard', async query => {
    const text = textOf(query)
    const { types } = await database.db.unsafe(text, [], { prepare: false }).describe()
    const plan = await explain(
      text,
      types.map(type => sampleOf(typeNames.get(type)!)),
    )
    const counts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
    expect(Math.max(0, ...counts), plan).toBeLessThanOrEqual(1)
  })

  async function explain(text: string, samples: string[]): Promise<string> {
    const literal = text.replace(/\$(\d+)/g, (_, number: string) => `'${samples[Number(number) - 1]}'`)
    const rows = await database.db.unsafe<{ 'QUERY PLAN': string }[]>(`explain (costs off) ${literal}`)
    return rows.map(row => row['QUERY PLAN']).join('\n')
  }
})

const SAMPLES: [RegExp, string][] = [
  [/\[\]$/, '{}'],
  [/int|numeric|double/, '1'],
  [/^boolean$/, 'true'],
  [/^(timestamp|date)/, '2026-01-01'],
  [/^interval$/, '1 hour'],
  [/^uuid$/, '00000000-0000-4000-8000-000000000000'],
  [/^json/, '[]'],
]

const sampleOf = (type: string): string => SAMPLES.find(([pattern]) => pattern.test(type))?.[1] ?? ''
