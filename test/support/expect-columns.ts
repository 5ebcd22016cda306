import { expect } from 'vitest'
import { type Db, inSnapshot } from '../../src/platform/db/connect.ts'
import { VITALS } from '../../src/platform/dimensions/vitals.ts'
import { type Block, HIT_DIMENSIONS, SESSION_DIMENSIONS, type View } from '../../src/storage/columns/block.ts'
import { SiteColumns } from '../../src/storage/columns/site-columns.ts'
import type { Span } from '../../src/storage/columns/spans.ts'

/** Columns of sites that tests have asked for, from one time to the next. */
const kept = new Map<number, SiteColumns>()

/** Expects that columns that were kept since the last call hold the same as columns that are made from the rows now. */
export async function expectKeptColumns(
  db: Db,
  { siteNo }: { siteNo: number },
  span: Span,
  now = Date.now(),
): Promise<void> {
  const columns = kept.get(siteNo) ?? new SiteColumns(siteNo, { leastPackedHits: 1 })
  kept.set(siteNo, columns)
  const [found, wanted] = await inSnapshot(db, async tx => [
    await columns.views(tx, [{ ...span, money: 'kept' }], now),
    await new SiteColumns(siteNo, { leastPackedHits: Number.POSITIVE_INFINITY }).views(
      tx,
      [{ ...span, money: 'kept' }],
      now,
    ),
  ])
  const [view, fresh] = [found!.views[0] as View, wanted!.views[0] as View]
  expect(contentsOf(view)).toEqual(contentsOf(fresh))
  expect(moneyOf(view)).toEqual(moneyOf(fresh))
  await columns.store(db)
  // A process that starts now has the stored blocks.
  const { views } = await inSnapshot(db, tx => new SiteColumns(siteNo).views(tx, [span], now))
  expect(contentsOf(views[0] as View)).toEqual(contentsOf(fresh))
}

/** Money, with texts in place of their numbers. */
function moneyOf({ money, texts }: View) {
  const { copies, session } = money
  const rows = Array.from({ length: money.count }, (_, row) => [
    money.at[row]!,
    texts.of('currency').text(money.currency[row]!),
    money.amount[row]!.toString(),
    texts.of('customer').text(money.customer[row]!),
    texts.of('subscription').text(money.subscription[row]!),
    texts.of('mrr_change').text(money.kind[row]!),
    money.isRecurring[row]!,
    money.isFirst[row]!,
    copies.sessions.no[session[row]!]!,
    ...SESSION_DIMENSIONS.map(name =>
      texts.ofDimension(name).text(copies.sessions.values[name][session[row]!]!),
    ),
  ])
  return rows.map(row => row.join('\t')).sort()
}

/** What blocks hold, with texts in place of their numbers and in one order, however the blocks divide it. */
function contentsOf(view: View) {
  const firstOf = new Map<number, number>()
  for (const { sessions } of view.blocks) {
    for (let index = 0; index < sessions.count; index++) {
      const [visitor, no] = [sessions.visitor[index]!, sessions.no[index]!]
      firstOf.set(visitor, Math.min(no, firstOf.get(visitor) ?? Number.POSITIVE_INFINITY))
    }
  }
  const sessions = view.blocks.flatMap(block => sessionsOf(view, block, firstOf))
  return sessions.sort((a, b) => Number(a.isService) - Number(b.isService) || a.at - b.at || a.no - b.no)
}

function sessionsOf({ texts }: View, block: Block, firstOf: Map<number, number>) {
  const { sessions, isService, vitals } = block
  return Array.from({ length: sessions.count }, (_, index) => {
    const [first, end] = [sessions.firstHit[index]!, sessions.firstHit[index + 1]!]
    const hits = Array.from({ length: end - first }, (_, offset) => hitOf({ texts }, block, first + offset))
    return {
      isService,
      no: sessions.no[index]!,
      at: isService ? hits[0]!.at : sessions.startedAt[index]!,
      /** The first session of its visitor. */
      visitor: firstOf.get(sessions.visitor[index]!),
      isRecognized: sessions.isRecognized[index]!,
      counts: (['startedAt', 'firstAt', 'lastAt', 'durationMs', 'pageviews', 'events'] as const).map(
        name => sessions[name][index],
      ),
      values: SESSION_DIMENSIONS.map(name => texts.ofDimension(name).text(sessions.values[name][index]!)),
      hits,
      reports: Array.from(vitals.hit, (hit, report) => ({
        hit,
        values: VITALS.map(name => vitals.measures[name][report]!),
      }))
        .filter(({ hit }) => hit >= first && hit < end)
        .map(({ hit, values }) => [hit - first, ...values].join())
        .sort(),
    }
  })
}

function hitOf({ texts }: Pick<View, 'texts'>, { hits }: Block, hit: number) {
  const properties = Array.from(
    { length: hits.firstProperty[hit + 1]! - hits.firstProperty[hit]! },
    (_, offset) => {
      const property = hits.firstProperty[hit]! + offset
      return [
        texts.of('property_key').text(hits.propertyKeys[property]!),
        texts.of('property_value').text(hits.propertyValues[property]!),
      ]
    },
  )
  return {
    at: hits.at[hit]!,
    numbers: (['type', 'pageAt', 'scroll', 'engagedMs'] as const).map(name => hits[name][hit]),
    values: HIT_DIMENSIONS.map(name => texts.ofDimension(name).text(hits.values[name][hit]!)),
    revenue: texts.of('amount').text(hits.revenue[hit]!),
    currency: texts.of('currency').text(hits.currency[hit]!),
    error: texts.of('error').text(hits.error[hit]!),
    properties: properties.sort(),
  }
}
