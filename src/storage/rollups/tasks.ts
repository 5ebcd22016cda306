import type { Db } from '../../platform/db/connect.ts'
import { countValues, rankValues } from './daily/rank-values.ts'
import { findErrorEnds } from './daily/read-error-ends.ts'
import { rollUpDay } from './daily/roll-up-day.ts'
import { sortValues } from './daily/sort-values.ts'
import type { Tasks } from './protocol.ts'
import { countMovements, countRevenue } from './revenue.ts'
import { countSiteVisitors, countTraffic } from './traffic.ts'

type TaskTable = {
  [Name in keyof Tasks]: (db: Db, input: Tasks[Name]['input']) => Promise<Tasks[Name]['output']>
}

/** Tasks of a rollup thread, by name. */
export const tasks: TaskTable = {
  countTraffic,
  countSiteVisitors,
  rollUpDay,
  rankValues,
  sortValues,
  countValues,
  findErrorEnds,
  countRevenue,
  countMovements,
}
