import type { Db } from '../infra/db.ts'
import { foldDay } from './folds/fold-day.ts'
import { countValues, rankValues } from './folds/rank-values.ts'
import type { Tasks } from './protocol.ts'
import { countMovements, countRevenue } from './revenue.ts'
import { countSiteVisitors, countTraffic } from './traffic.ts'

type TaskTable = {
  [Name in keyof Tasks]: (db: Db, input: Tasks[Name]['input']) => Promise<Tasks[Name]['output']>
}

/** What a rollup thread runs, by the name it is called with. */
export const tasks: TaskTable = {
  countTraffic,
  countSiteVisitors,
  foldDay,
  rankValues,
  countValues,
  countRevenue,
  countMovements,
}
