import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../config.ts'
import { SQL_LISTS } from '../dimensions/sql-lists.ts'

/** A quoted text or name, a comment, or a fragment `{name}`. */
const FRAGMENTS = /'(?:[^']|'')*'|"[^"]*"|--.*|\/\*[\s\S]*?\*\/|\{([a-z_]+)\}/g

/**
 * Replaces each `{name}` in a statement by a list of `SQL_LISTS` or by the text of `sql/fragments/{name}.sql`, which may name
 * other fragments.
 * @throws Error for an unknown name
 */
export const expandFragments = (text: string): string =>
  text.replace(FRAGMENTS, (token, name: string | undefined) =>
    name === undefined ? token : (SQL_LISTS[name] ?? expandFragments(fragmentFile(name))),
  )

const fragmentFile = (name: string): string =>
  readFileSync(join(projectRoot, 'sql', 'fragments', `${name}.sql`), 'utf8').trim()
