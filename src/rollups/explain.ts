import { type Db, inSnapshot } from '../db/connect.ts'
import type { Counts } from './daily/codec.ts'
import { countVisitors, keysOf, type Summed, sumValues } from './daily/rank-values.ts'
import { cacheOf } from './daily/rollup-cache.ts'
import type { Tasks, Window } from './protocol.ts'

/** Counts a value in the buckets of a window, all from one snapshot. */
export function explainValue(
  db: Db,
  { value, window, buckets, ...asked }: Tasks['explainValue']['input'],
): Promise<Tasks['explainValue']['output']> {
  return inSnapshot(db, async tx => {
    const [key] = await keysOf(tx, asked.siteNo, [value])
    const sum = (window: Window, readsAllRows: boolean) =>
      sumValues(tx, cacheOf(db), { ...asked, window }, { withVisitors: true, readsAllRows })
    const whole = await sum(window, false)
    if (!whole) return null
    const counted: Counts[] = []
    for (const bucket of buckets) {
      const summed = await sum(bucket, true)
      if (!summed) return null
      counted.push(await countsOf(summed, key!))
    }
    return { buckets: counted, visitors: (await countsOf(whole, key!)).visitors }
  })
}

async function countsOf(summed: Summed, key: number | string): Promise<Counts> {
  const index = summed.sums.indexOf(key)
  await countVisitors(summed, [index])
  return summed.sums.countsAt(index)
}
