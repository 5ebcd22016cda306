import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import '../../src/trpc/stats.ts'
import { expandFragments, queryFile } from '../../src/db/query.ts'
import type { Dimension } from '../../src/dimensions/dimensions.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { ResolvedQuery } from '../../src/stats/filters/resolved-query.ts'
import {
  type FilteredStatement,
  filteredStatements,
  runFiltered,
} from '../../src/stats/sql/filtered-query.ts'
import { RELATIONS } from '../../src/stats/sql/relations.ts'
import { sharedDatabase } from '../support/database.ts'
import { propertiesOf, serviceProgram } from '../support/declared-queries.ts'
import { enrichedHit } from '../support/hits.ts'
import { sweep } from '../support/runs.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { fits } from '../support/sql-kinds.ts'

const DAY = 86_400_000
const TODAY = Date.UTC(2026, 2, 10)
const statements = filteredStatements()
const declarations = findDeclarations()

let db: Db
let site: TestSite
let typeNames: Map<number, string>

beforeAll(async () => {
  const database = await sharedDatabase()
  db = database.db
  site = await createTestSite(db)
  const rows = await db<{ oid: number; name: string }[]>`
    select oid::int as oid, format_type(oid, null) as name from pg_type`
  typeNames = new Map(rows.map(({ oid, name }) => [oid, name]))
  await storeHits(db, 0, [
    enrichedHit(site, TODAY, { url: '/a', title: 'A' }),
    enrichedHit(site, TODAY + 1_000, { type: 'event', name: 'signup', url: '/a', props: { plan: 'pro' } }),
  ])
  return () => database.close()
})

interface Declaration {
  /** Name of the function that runs the statement. */
  constant: string
  params: Record<string, string>
  columns: Record<string, string>
}

/** Finds each `const someName = filteredQuery<Params, Row>('some-name', …)`, by name. */
function findDeclarations(): Map<string, Declaration> {
  const program = serviceProgram()
  const checker = program.getTypeChecker()
  const found = new Map<string, Declaration>()
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'filteredQuery') return
    const [params, columns] = node.typeArguments ?? []
    const [name] = node.arguments as unknown as [ts.StringLiteral]
    found.set(name.text, {
      constant: (node.parent as ts.VariableDeclaration).name.getText(),
      params: propertiesOf(checker, params),
      columns: propertiesOf(checker, columns),
    })
  }
  for (const file of program.getSourceFiles()) if (file.fileName.includes('/src/stats/')) visit(file)
  return found
}

const condition = (value: string) => ({ field: 'x', operator: 'is' as const, values: [value] })
const on = (dimension: Dimension, value: string) => ({ dimension, condition: condition(value) })
const targets = {
  hits: [{ kind: 'event', value: 'signup', props: '{"plan": "pro"}', goals: [0] }],
  scrolls: [{ path: '/a', threshold: 50, goals: [1] }],
}
const property = { keys: [condition('plan')], values: [condition('pro')] }

const goal = { targets, sessionNos: [1] }
const ofSessions = [on('country', ''), on('visit_count', '1')]
const CONTEXTS: [string, Partial<ResolvedQuery>][] = [
  ['no filter', {}],
  ['all filters', { filters: { dimensions: [on('title', 'A'), on('user_id', '')], property }, goal }],
  ['filters on hits', { filters: { dimensions: [on('path', '/a')], property } }],
  ['filters on sessions', { filters: { dimensions: ofSessions, property: undefined } }],
  ['a goal', { goal }],
]

/** Statements whose column `value` is a dimension of sessions. */
const OF_SESSIONS = new Set([
  'list-distinct-money-values',
])

const SAMPLES: Record<string, unknown> = {
  number: 10,
  boolean: true,
  string: 'USD',
  'string[]': ['/a'],
  'Date[]': [new Date(TODAY), new Date(TODAY + DAY / 2)],
}

/** Parameters that are not any value of their type. */
const SPECIAL_SAMPLES: Record<string, unknown> = {
  sort: 'revenue_per_visitor',
  order: 'asc',
}

const paramsOf = (name: string) =>
  Object.fromEntries(
    Object.entries(declarations.get(name)!.params).map(([param, kind]) => [
      param,
      SPECIAL_SAMPLES[param] ?? SAMPLES[kind],
    ]),
  )

const textOf = ({ name, text }: FilteredStatement) => expandFragments(text ?? queryFile(name))

describe.each(sweep(CONTEXTS))('filtered statements with %s', (_, context) => {
  test.each(statements)('$name runs and returns the columns of its type', async statement => {
    const { name } = statement
    const start = new Date(TODAY)
    const resolved: ResolvedQuery = {
      siteNo: site.siteNo,
      start,
      end: new Date(TODAY + DAY),
      filters: { dimensions: [], property: undefined },
      goal: undefined,
      ...context,
    }
    const options = { value: OF_SESSIONS.has(name) ? 'source' : 'path', targets } as const
    const narrow = {
      titles: ['A'],
      times: [start],
      errorId: '00000000-0000-4000-8000-000000000000',
      values: ['/a', ''],
      window: { start, end: resolved.end },
      hasManyPayments: true,
      hasManyMovements: true,
    }
    const declared = declarations.get(name)!.columns
    for (const slice of [undefined, { from: start, to: null }, { from: null, to: start }]) {
      const run = (more: object) =>
        runFiltered(db, statement, { ...resolved, slice }, { ...options, ...more }, paramsOf(name))
      await run(narrow)
      const { columns } = (await run({})) as unknown as { columns: { name: string; type: number }[] }
      const returned = new Map(columns.map(column => [column.name, typeNames.get(column.type)!]))
      expect([...returned.keys()].sort()).toEqual(Object.keys(declared).sort())
      for (const [column, kinds] of Object.entries(declared)) {
        const type = returned.get(column)!
        expect(fits(type, kinds), `${column} is ${type}, declared as ${kinds}`).toBe(true)
      }
    }
  })
})

describe('filtered statements', () => {
  test.each(statements)('$name declares exactly the relations that it reads', statement => {
    const text = textOf(statement).replace(/--.*|\/\*[\s\S]*?\*\//g, '')
    const read = Object.keys(RELATIONS).filter(relation => new RegExp(`\\b${relation}\\b`).test(text))
    expect(read.sort()).toEqual(statement.relations.toSorted())
  })

  test.each(statements)('$name is run by a function of its name', ({ name }) => {
    const camelCase = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    expect(declarations.get(name)!.constant).toBe(camelCase)
  })

  test('filtered statements have unique names', () => {
    const names = statements.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names.length).toBeGreaterThan(25)
  })

  test('stand inline when they are short, and in a file when they are long', () => {
    const lines = (statement: FilteredStatement) => textOf(statement).trim().split('\n').length
    const misplaced = statements.filter(statement =>
      statement.text === undefined ? lines(statement) <= 12 : lines(statement) > 20,
    )
    expect(misplaced.map(({ name }) => name)).toEqual([])
  })
})
