import { query } from '../../platform/db/query.ts'

/**
 * Without statistics of the rows that were just read, the planner expects few of them and compares each with every id: a batch then takes
 * seconds instead of milliseconds. The functions of triggers keep such a plan, too.
 */
export const preferIndexes = query('prefer-indexes', `select set_config('enable_seqscan', 'off', true)`)
