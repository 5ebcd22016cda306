import { lockSite } from '../../../../access/sites/lock-site.ts'
import { arrayText } from '../../../../platform/db/array-text.ts'
import type { Transaction } from '../../../../platform/db/connect.ts'
import { type Conversion, dataOfGoal, dataOfHit, keyOf, timeOf } from './conversion.ts'
import {
  countDropped,
  deleteNotes,
  findRoom,
  insertConversions,
  keepConversions,
  type Note,
  selectPresent,
} from './conversion-rows.ts'
import type { ConversionServices } from './find-conversions.ts'
import type { Warn } from './warnings.ts'

interface Found {
  notes: readonly Note[]
  now: Date
  /** Conversions that endpoints are told of. */
  told: readonly Conversion[]
  /** Conversions that alerts count. */
  counted: readonly Conversion[]
  /** Conversions that are too many of one hit. */
  dropped: number
}

/**
 * Makes events of conversions in the transaction that deletes the notes of their hits, so each hit is compared once whatever dies. The
 * lock of the site keeps erasures away until the end: what was erased since the hits were read makes no event.
 */
export async function storeConversions(
  { db, mostWaiting, warn }: Pick<ConversionServices, 'db' | 'mostWaiting'> & { warn: Warn },
  siteNo: number,
  { notes, now, told, counted, dropped }: Found,
): Promise<void> {
  const candidateNos = notes.map(({ candidateNo }) => candidateNo)
  if (told.length + counted.length === 0) {
    await deleteNotes(db, { candidateNos })
    return
  }
  const lost = await db.begin(async tx => {
    await lockSite(tx, { siteNo })
    const deleted = await deleteNotes(tx, { candidateNos })
    const mine = new Set(deleted.map(({ candidateNo }) => candidateNo))
    const ids = new Set(notes.filter(note => mine.has(note.candidateNo)).flatMap(note => note.ids))
    const present = await presentOf(
      tx,
      siteNo,
      [...told, ...counted].filter(({ hit }) => ids.has(hit.id)),
    )
    const isPresent = ({ hit }: Conversion) => present.has(hit.id)
    const ofAlerts = counted.filter(isPresent)
    if (ofAlerts.length > 0) {
      await keepConversions(tx, {
        siteNo,
        keys: ofAlerts.map(keyOf),
        goalIds: ofAlerts.map(({ goal }) => goal.id),
        times: ofAlerts.map(({ hit }) => timeOf(hit)),
      })
    }
    const inOrder = told.filter(isPresent).sort(byTime)
    const room = inOrder.length > 0 ? (await findRoom(tx, { siteNo, mostWaiting }))[0]!.room : 0
    if (room > 0 && inOrder.length > 0) await insert(tx, siteNo, inOrder.slice(0, room), now)
    const count = mine.size === 0 ? 0 : dropped + Math.max(0, inOrder.length - room)
    if (count > 0) await countDropped(tx, { siteNo, count })
    return count
  })
  if (lost > 0) warn(siteNo, { conversions: lost }, 'webhooks are not told of conversions: they are too many')
}

async function presentOf(
  tx: Transaction,
  siteNo: number,
  conversions: readonly Conversion[],
): Promise<ReadonlySet<string>> {
  const hits = [...new Set(conversions.map(({ hit }) => hit))]
  if (hits.length === 0) return new Set()
  const times = hits.map(({ at }) => at)
  const found = times.map(at => at.getTime())
  const rows = await selectPresent(tx, {
    siteNo,
    times,
    ids: hits.map(({ id }) => id),
    start: new Date(Math.min(...found)),
    end: new Date(Math.max(...found)),
  })
  return new Set(rows.map(({ id }) => id))
}

/** By the time of the conversions, so that the events have their order. */
const byTime = (a: Conversion, b: Conversion): number =>
  timeOf(a.hit).getTime() - timeOf(b.hit).getTime() ||
  compareText(a.hit.id, b.hit.id) ||
  compareText(a.goal.id, b.goal.id)

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

async function insert(
  tx: Transaction,
  siteNo: number,
  conversions: readonly Conversion[],
  now: Date,
): Promise<void> {
  const hits = [...new Set(conversions.map(({ hit }) => hit))]
  await insertConversions(tx, {
    siteNo,
    now,
    keys: conversions.map(each => `goal.converted/${keyOf(each)}`),
    times: conversions.map(({ hit }) => timeOf(hit)),
    datas: arrayText(conversions.map(({ goal }) => dataOfGoal(goal))),
    hitIds: conversions.map(({ hit }) => hit.id),
    visitorIds: arrayText(conversions.map(({ hit }) => hit.visitorId)),
    toldIds: hits.map(({ id }) => id),
    toldDatas: arrayText(hits.map(dataOfHit)),
  })
}
