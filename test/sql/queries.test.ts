import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../src/platform/config/config.ts'
import { CITUS } from '../../src/platform/db/dialects/citus.ts'
import { compileQuery, queryFile, statementText } from '../../src/platform/db/query.ts'
import { dbOf, useDatabase } from '../support/database.ts'
import { type DeclaredQuery, declaredQueries } from '../support/declared-queries.ts'
import { fits } from '../support/sql-kinds.ts'

const declared = await declaredQueries()
const textOf = ({ name, text }: DeclaredQuery) => text ?? queryFile(name)

/** Those of the common text and of the one for Citus: each may leave some out. */
function parametersOf(query: DeclaredQuery): string[] {
  const texts = [textOf(query), CITUS.statement(query.name) ?? '']
  return [...new Set(texts.flatMap(text => compileQuery(query.name, text).parameters))].sort()
}

/** Change events that the service writes: where they run, `stampServiceEvents` is called in the same transaction. */
const CHANGES_SERVICE_EVENTS = [
  ...['attribute-event', 'delete-service-event', 'insert-attributed-service-events', 'insert-service-events'],
  ...['restore-service-events', 'unlink-service-event'],
]
/** Write or delete hits alone, or rows that no reader counts any more. */
const CHANGES_OTHER_EVENTS = [
  ...['bench-fill-sessions', 'bench-fill-today', 'delete-erased-hits', 'delete-imported-hits'],
  ...['delete-loose-identifies', 'purge-events'],
]

const db = dbOf(useDatabase())
let typeNames: Map<number, string>

beforeAll(async () => {
  const types = await db<{ oid: number; name: string }[]>`
    select oid::int as oid, format_type(oid, null) as name from pg_type`
  typeNames = new Map(types.map(({ oid, name }) => [oid, name]))
})

test.each(declared)(
  'declared queries: $name: parameters and columns are those of its types ($where)',
  async query => {
    const { text, parameters } = compileQuery(query.name, statementText(query.name, query.text))
    expect(Object.keys(query.parameters).sort(), 'names of parameters').toEqual(parametersOf(query))
    const { types, columns } = await db.unsafe(text, [], { prepare: true }).describe()
    parameters.forEach((name, index) => {
      const type = typeNames.get(types[index]!)!
      const kinds = query.parameters[name]!
      expect(fits(type, kinds), `:${name} is ${type}, declared as ${kinds}`).toBe(true)
    })
    const declaredColumns = Object.entries(query.columns)
    // A statement may return nothing that its caller reads.
    if (declaredColumns.length === 0) return
    const returned = new Map((columns ?? []).map(({ name, type }) => [name, typeNames.get(type)!]))
    const names = declaredColumns.map(([name]) => name)
    expect(names.sort(), 'names of columns').toEqual([...returned.keys()].sort())
    for (const [name, kinds] of declaredColumns) {
      const type = returned.get(name)!
      expect(fits(type, kinds), `${name} is ${type}, declared as ${kinds}`).toBe(true)
    }
  },
)

test('declared queries have unique names', () => {
  const names = declared.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('declared queries: stand inline when they are short, and in a file when they are long', () => {
  const lines = (text: string) => text.trim().split('\n').length
  const misplaced = declared
    .filter(query => (query.text === undefined ? lines(textOf(query)) <= 12 : lines(textOf(query)) > 20))
    .map(({ name, where }) => `${name} (${where})`)
  expect(misplaced).toEqual([])
})

test('declared queries: a statement that changes events is known: whether it changes those of the service', () => {
  const changing = declared
    .filter(query => /\b(insert into|update|delete from) events\b/.test(textOf(query)))
    .map(({ name }) => name)
  expect(changing.sort()).toEqual([...CHANGES_SERVICE_EVENTS, ...CHANGES_OTHER_EVENTS].sort())
})

test('every file of sql/queries belongs to a declared query', () => {
  const files = readdirSync(join(projectRoot, 'sql', 'queries')).map(file => file.replace(/\.sql$/, ''))
  const ofDeclared = declared.filter(({ text }) => text === undefined).map(({ name }) => name)
  expect(files.sort()).toEqual(ofDeclared.sort())
})
