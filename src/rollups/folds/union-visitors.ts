import { type Queryable, statement } from '../../infra/db.ts'
import { VisitorSet } from '../visitor-set.ts'
import type { DayFold } from './day-folds.ts'
import { DistinctCounter } from './distinct.ts'
import type { FoldCache, Union } from './fold-cache.ts'
import { keyOf, type Run } from './runs.ts'

interface Stored {
  siteNo: number
  start: number
  end: number
  visitors: string
}

const selectVisitors = statement<Stored>('select-fold-visitors')

const PART = 'visitors'
/** An entry of the cache beside its bytes. */
const ENTRY_BYTES = 300

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
    const union = unite(run.map(day => stored.get(nameOf(day))!))
    unions.set(run, union)
    known.set(key, union, { bytes: union.bytes.length + ENTRY_BYTES })
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

function unite(days: Buffer[]): Union {
  const set = VisitorSet.from(days[0])
  for (const bytes of days.slice(1)) set.addSerialized(bytes)
  const union = { size: set.size, bytes: days.length === 1 ? days[0]! : set.serialize() }
  set.free()
  return union
}

const distinct = new DistinctCounter()

/** How many distinct visitors there are in unions and lists together. */
export function countTogether(unions: readonly Union[], lists: readonly Uint32Array[] = []): number {
  const some = unions.filter(({ size }) => size > 0)
  const others = lists.filter(list => list.length > 0)
  if (some.length === 1 && others.length === 0) return some[0]!.size
  if (some.length === 0) {
    for (const list of others) distinct.add(list)
    return distinct.take()
  }
  const set = VisitorSet.from(some[0]?.bytes)
  for (const { bytes } of some.slice(1)) set.addSerialized(bytes)
  for (const list of others) set.add(list)
  const { size } = set
  set.free()
  return size
}
