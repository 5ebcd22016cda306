import '../../src/trpc/stats.ts'
import { filteredStatements } from '../../src/stats/sql/filtered-query.ts'

/** Names of the statements of `sql/queries` that are parts of composed statements: `filteredQuery` declares them. */
export const composedQueries: string[] = filteredStatements()
  .filter(({ text }) => text === undefined)
  .map(({ name }) => name)
