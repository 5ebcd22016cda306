import { abandonable } from '../../db/abandon.ts'
import type { Queryable } from '../../db/connect.ts'
import { expandFragments, statementText } from '../../db/query.ts'
import { completedQuery, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { concat, type Fragment } from './bounds.ts'
import { hasHitFilters } from './conditions.ts'
import { reach } from './reach.ts'
import { matchingSessions, RELATIONS, type RelationName, type RelationOptions } from './relations.ts'

/** Runs a filtered statement; `params` becomes the single row of its relation `params`. */
export type FilteredQuery<Params, Row> = (
  db: Queryable,
  resolved: ResolvedQuery,
  ...options: OptionsOf<Params>
) => Promise<Row[]>

/** Options are optional where the statement has no parameters: `Params` is undefined. */
export type OptionsOf<Params> = Params extends object
  ? [options: RelationOptions & { params: Params }]
  : [options?: RelationOptions]

type Param = number | string | boolean | readonly string[] | readonly Date[]

/** A declaration of `filteredQuery`. */
export interface FilteredStatement {
  name: string
  relations: readonly RelationName[]
  /** undefined: the text is in `sql/queries/{name}.sql`. */
  text: string | undefined
}

const declared: FilteredStatement[] = []

/** Returns the statements of all modules that were imported, in the order of their declaration. */
export const filteredStatements = (): readonly FilteredStatement[] => declared

/**
 * Declares a statement that reads `relations`, which the filters of a request define, instead of tables, and returns the
 * function that runs it. Only these relations are sent. A test runs every declared statement.
 *
 * @typeParam Params the columns of the relation `params`; undefined when the statement has none
 * @typeParam Row a row of the result
 * @param name kebab-case, unique
 * @param text the statement; without it, the text of `sql/queries/{name}.sql`, for statements of more than about 15 lines
 */
export function filteredQuery<
  Params extends object | undefined = undefined,
  Row extends object = Record<string, never>,
>(name: string, relations: readonly RelationName[], text?: string): FilteredQuery<Params, Row> {
  declared.push({ name, relations, text })
  return async (db, resolved, ...[options = {}]) => {
    const params = 'params' in options ? (options.params as object) : {}
    // Completing it takes other connections: within a transaction, all of them could wait for each other.
    if (resolved.completed && 'savepoint' in db)
      throw new Error(`${name}: complete the query before the transaction`)
    const whole = keptPart(await completedQuery(resolved))
    return runFiltered<Row>(db, { name, relations, text }, whole, options, params)
  }
}

const loaded = new Map<string, string>()

function textOf(name: string, text: string | undefined): string {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const read = expandFragments(statementText(name, text))
  loaded.set(name, read)
  return read
}

/** Composes and runs a declared statement. Filters decide which relations and conditions are part of its text. */
export function runFiltered<Row extends object>(
  db: Queryable,
  { name, relations, text }: FilteredStatement,
  resolved: ResolvedQuery,
  options: RelationOptions,
  params: object,
) {
  const statement = db<Row[]>`
    ${db.unsafe(`/* ${name} */`)}
    with
    ${resolved.findsReach ? reach(db, resolved) : db``}
    ${hasHitFilters(resolved) ? matchingSessions(db, resolved) : db``}
    ${
      resolved.segmentSessionNos
        ? db`segment_sessions as materialized (select unnest(${resolved.segmentSessionNos}::bigint[]) as session_no),`
        : db``
    }
    ${
      resolved.goal
        ? db`converted_sessions as materialized (select unnest(${resolved.goal.sessionNos}::bigint[]) as session_no),`
        : db``
    }
    ${concat(
      db,
      relations.map(
        relation => db`${db(relation)} as not materialized (${RELATIONS[relation](db, resolved, options)}),`,
      ),
    )}
    params as (${paramsRow(db, params)})
    select * from (${db.unsafe(ofSite(textOf(name, text), resolved.siteNo))}) as result`
  return abandonable(statement)
}

/** A number in the text: whoever plans the statement sees at once which site it is about. */
const ofSite = (text: string, siteNo: number): string => text.replaceAll(':siteNo', String(siteNo))

function paramsRow(db: Queryable, params: object): Fragment {
  const columns = Object.entries(params as Record<string, Param>).map(
    ([name, value]) => db`, ${cast(db, value)} as ${db(name)}`,
  )
  return db`select 1 as one ${concat(db, columns)}`
}

function cast(db: Queryable, value: Param): Fragment {
  if (typeof value === 'number') return db`${value}::bigint`
  if (typeof value === 'string') return db`${value}::text`
  if (typeof value === 'boolean') return db`${value}::boolean`
  const texts = value.map(item => (item instanceof Date ? item.toISOString() : item))
  return value[0] instanceof Date ? db`${texts}::timestamptz[]` : db`${texts}::text[]`
}
