import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/platform/db/connect.ts'
import { dialect } from '../../src/platform/db/dialects/chosen-dialect.ts'
import { compileQuery, statementText } from '../../src/platform/db/query.ts'
import { sharedDatabase } from '../support/database.ts'
import { type DeclaredQuery, declaredQueries } from '../support/declared-queries.ts'

const isCitus = dialect().name === 'citus'
const declared = isCitus ? await declaredQueries() : []

/** They look at other sites too, to limit the work of all. */
const OF_ALL_SITES = new Set(['count-dirty', 'find-day-to-export', 'find-file-to-empty'])

/** Statements about one site, by the name of their parameter. */
const ofOneSite = declared.filter(
  ({ name, where, parameters }) =>
    'siteNo' in parameters && !OF_ALL_SITES.has(name) && !where.startsWith('scripts/bench/'),
)

const compiled = (query: DeclaredQuery) => compileQuery(query.name, statementText(query.name, query.text))

/** `explain` takes no call of a procedure. */
const isCall = (query: DeclaredQuery) => /^call /m.test(compiled(query).text)

const ofOthers = declared.filter(
  query => !ofOneSite.includes(query) && !query.where.startsWith('scripts/bench/') && !isCall(query),
)

/** Of texts that are cast in the statement. */
const NAMED_TEXTS: Record<string, string> = {
  id: '00000000-0000-4000-8000-000000000000',
  at: '2026-01-01',
  exportedAt: '2026-01-01',
}

describe.skipIf(!isCitus)('on Citus, a statement', () => {
  let db: Db
  let typeNames: Map<number, string>
  beforeAll(async () => {
    const database = await sharedDatabase()
    db = database.db
    const types = await db`select oid::int as oid, format_type(oid, null) as name from pg_type`
    typeNames = new Map(types.map(({ oid, name }) => [oid, name]))
    return () => database.close()
  })

  test.each(ofOneSite)('about a site: $name is sent to one shard', async query => {
    const plan = await planOf(query)
    const counts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
    expect(Math.max(0, ...counts), plan).toBeLessThanOrEqual(1)
  })

  // Citus refuses some statements only when it plans them with values.
  test.each(ofOthers)('about several sites, or none: $name can be planned', async query => {
    expect(await planOf(query)).toMatch(/\S/)
  })

  async function planOf(query: DeclaredQuery): Promise<string> {
    const { text, parameters } = compiled(query)
    const { types } = await db.unsafe(text, [], { prepare: false }).describe()
    const given = types.map((type, index) => ({ name: parameters[index]!, type: typeNames.get(type)! }))
    return explainWithAnyText(text, given)
  }

  /** Texts of a statement may have to be JSON, a date or a zone: one of these will do. */
  async function explainWithAnyText(text: string, given: { name: string; type: string }[]): Promise<string> {
    let failure: unknown
    for (const sample of TEXTS) {
      try {
        const samples = given.map(({ name, type }) => sampleOf(type, NAMED_TEXTS[name] ?? sample))
        return await explain(text, samples)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  async function explain(text: string, samples: string[]): Promise<string> {
    const literal = text.replace(/\$(\d+)/g, (_, number: string) => `'${samples[Number(number) - 1]}'`)
    const rows = await db.unsafe<{ 'QUERY PLAN': string }[]>(`explain (costs off) ${literal}`)
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
  [/^bytea$/, ''],
]

const TEXTS = ['[]', 'x', '{}', '2026-01-01', '00000000-0000-4000-8000-000000000000', '1', 'UTC']

const sampleOf = (type: string, text: string): string =>
  SAMPLES.find(([pattern]) => pattern.test(type))?.[1] ?? text
