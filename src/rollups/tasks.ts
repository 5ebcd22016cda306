import type { Db } from '../db/connect.ts'
import { countValues, rankValues } from './daily/rank-values.ts'
import { rollUpDay } from './daily/roll-up-day.ts'
import { sortValues } from './daily/sort-values.ts'
import { explainValue } from './explain.ts'
import { countGoals, coverGoals } from './goals/count-goals.ts'
import { rollUpGoals } from './goals/roll-up-goals.ts'
import { countLive, listGoalValues } from './live-tail/kept-tails.ts'
import type { Tasks } from './protocol.ts'
import { countMovements, countRevenue } from './revenue.ts'
import { countServiceDay } from './service-events/count-day.ts'
import { countFilteredTraffic } from './session-columns/count-traffic.ts'
import { countFilteredValues } from './session-columns/count-values.ts'
import { coverSessionColumns } from './session-columns/cover-days.ts'
import { sumMoneyOfValues } from './session-columns/sum-money.ts'
import { countSiteVisitors, countTraffic } from './traffic.ts'
import { countTrafficOfValues } from './traffic-of-values.ts'
import { countValueTimes, findErrorEnds, locateValueTimes } from './value-times.ts'

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
  countTrafficOfValues,
  coverSessionColumns,
  countFilteredTraffic,
  countFilteredValues,
  sumMoneyOfValues,
  coverGoals,
  countGoals,
  rollUpGoals,
  countServiceDay,
  countValueTimes,
  locateValueTimes,
  findErrorEnds,
  countLive,
  listGoalValues,
  countRevenue,
  countMovements,
  explainValue,
}
