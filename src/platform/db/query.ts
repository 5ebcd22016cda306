import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ParameterOrJSON } from 'postgres'
import { projectRoot } from '../config/config.ts'
import { SQL_LISTS } from '../dimensions/sql-lists.ts'
import { abandonable } from './abandon.ts'
import type { Queryable } from './connect.ts'
import { dialect } from './dialects/chosen-dialect.ts'

/** A statement as it is sent: parameters are `$1`, `$2`, … in the order of `parameters`. */
interface Compiled {
  text: string
  parameters: string[]
}

/** A quoted text or name, a comment, or a parameter `:name`, which is neither a cast `::type` nor a slice `[1:n]`. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|--.*|\/\*[\s\S]*?\*\/|(?<![:\w\])]):([a-zA-Z]\w*)/g

/** Expands fragments and replaces each `:name` by a position; a name that occurs twice is one parameter. */
export function compileQuery(name: string, text: string): Compiled {
  const parameters: string[] = []
  const positional = expandFragments(text).replace(TOKENS, (token, parameter: string | undefined) => {
    if (parameter === undefined) return token
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  return { text: `/* ${name} */\n${positional.trim()}`, parameters }
}

/**
 * Declares a statement and returns the function that runs it. The statement is prepared once per connection, and its name
 * stands in the server's log. A test prepares every declared statement and compares its parameters and columns with the types.
 *
 * @typeParam Params the parameters, `:siteNo` in the text is `siteNo` here; `void` when there are none
 * @typeParam Row a row of the result
 * @param name kebab-case, unique
 * @param text the statement; without it, the text of `sql/queries/{name}.sql`, for statements of more than about 15 lines
 */
export function query<Params = void, Row extends object = Record<string, never>>(
  name: string,
  text?: string,
): (db: Queryable, ...parameters: Params extends object ? [Params] : []) => Promise<Row[]> {
  let compiled: Compiled | undefined
  return (db, ...[values]) => {
    compiled ??= compileQuery(name, statementText(name, text))
    const parameters = values
      ? compiled.parameters.map(parameter => sent((values as Record<string, unknown>)[parameter]))
      : []
    return abandonable(db.unsafe<Row[]>(compiled.text, parameters, { prepare: true }))
  }
}

/**
 * Declares statements that differ by what they are made of, such as by a table. Their names begin with `prefix` and end with their keys.
 * @typeParam Key which of them
 * @param texts see `query`; an exported constant, so that the test of all statements finds it
 */
export const queries = <Key extends string, Params, Row extends object = Record<string, never>>(
  prefix: string,
  texts: Readonly<Record<Key, string | undefined>>,
) =>
  Object.fromEntries(
    Object.entries<string | undefined>(texts).map(([key, text]) => [
      key,
      query<Params, Row>(`${prefix}-${key.replaceAll('_', '-')}`, text),
    ]),
  ) as Record<Key, ReturnType<typeof query<Params, Row>>>

/** The driver takes the type of an array from its first element: an array of Dates would be sent as one timestamp. */
const sent = (value: unknown) =>
  (Array.isArray(value) && value[0] instanceof Date
    ? value.map((at: Date) => at.toISOString())
    : value) as ParameterOrJSON<never>

/** Returns the text of a declared statement for the database of this process. */
export const statementText = (name: string, text: string | undefined): string =>
  dialect().statement(name) ?? text ?? queryFile(name)

/** Returns the text of `sql/queries/{name}.sql`. */
export const queryFile = (name: string): string =>
  readFileSync(join(projectRoot, 'sql', 'queries', `${name}.sql`), 'utf8')

/** A quoted text or name, a comment, or a fragment `{name}`. */
const FRAGMENTS = /'(?:[^']|'')*'|"[^"]*"|--.*|\/\*[\s\S]*?\*\/|\{([a-z_]+)\}/g

/**
 * Replaces each `{name}` in a statement by a list of `SQL_LISTS` or by the text of `sql/fragments/{name}.sql`, which may name
 * other fragments.
 * @throws Error for an unknown name
 */
const expandFragments = (text: string): string =>
  text.replace(FRAGMENTS, (token, name: string | undefined) =>
    name === undefined ? token : (SQL_LISTS[name] ?? expandFragments(fragmentFile(name))),
  )

const fragmentFile = (name: string): string =>
  readFileSync(join(projectRoot, 'sql', 'fragments', `${name}.sql`), 'utf8').trim()
