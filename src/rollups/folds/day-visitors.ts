import { type Queryable, statement } from '../../infra/db.ts'
import type { DayFold } from './day-folds.ts'
import type { FoldCache } from './fold-cache.ts'
import { keyOf, type Run } from './runs.ts'
import { bytesOf, type Union, uniteSets } from './union.ts'

interface Stored {
  siteNo: number
  start: number
  end: number
  visitors: string
}

const selectVisitors = statement<Stored>('select-fold-visitors')

const PART = 'visitors'

/**
 * The distinct visitors of runs, each from its days or as it was added up before. In the transaction that has found the
 * days' versions.
 */
export async function readUnions(
  tx: Queryable,
  { visitors: known }: FoldCache,
  runs: readonly Run[],
): Promise<Map<Run, Union>> {
  const unions = new Map<Run, Union>()
  const missing: [string, Run][] = []
  for (const run of runs) {
    const key = keyOf(run, PART)
    const union = known.get(key)
    if (union) unions.set(run, union)
    else missing.push([key, run])
  }
  if (missing.length === 0) return unions
  const stored = await readVisitors(
    tx,
    missing.flatMap(([, run]) => run),
  )
  for (const [key, run] of missing) {
    const union = uniteSets(run.map(day => stored.get(nameOf(day))!))
    unions.set(run, union)
    known.set(key, union, { bytes: bytesOf(union) })
  }
  return unions
}

async function readVisitors(tx: Queryable, days: DayFold[]): Promise<Map<string, Buffer>> {
  const asked = [...new Map(days.map(day => [nameOf(day), day])).values()]
  const rows = await selectVisitors(
    tx,
    asked.map(({ siteNo }) => siteNo),
    asked.map(({ start }) => start),
    asked.map(({ end }) => end),
  )
  return new Map(rows.map(row => [nameOf(row), Buffer.from(row.visitors, 'base64')]))
}

const nameOf = ({ siteNo, start, end }: Pick<DayFold, 'siteNo' | 'start' | 'end'>) =>
  `${siteNo}/${start}/${end}`
