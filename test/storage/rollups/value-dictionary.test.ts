import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { valueIdsOf, valuesOf } from '../../../src/storage/rollups/daily/value-dictionary.ts'
import { OPEN_MS } from '../../../src/storage/rollups/watermarks.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { expectRollupsEqualColumns, type RolledUpSite } from '../../support/expect-rollups.ts'
import { enrichedHit } from '../../support/hits.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { createTestSite } from '../../support/sites.ts'

/** Two texts with the same MD5. */
const TWINS = ['A', 'E'].map(
  letter => `TEXTCOLLBYfGiJUETHQ4h${letter}cKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak`,
)
const [HOUR, DAY] = [3_600_000, 86_400_000]
const TODAY = Date.UTC(2026, 2, 10)
const NOW = new Date(TODAY + OPEN_MS)

const db = dbOf(useDatabase())

const idsOf = (siteNo: number, values: string[], addsMissing = true) =>
  valueIdsOf(db, siteNo, values, { addsMissing })

test('value dictionary: every text has its own value id and keeps it, also one with the MD5 of another', async () => {
  const [one, other] = TWINS.map(text => createHash('md5').update(text).digest('hex'))
  expect(one).toBe(other)
  const texts = [...TWINS, '', 'é😀', 'a', 'A']
  const named = await idsOf(1, texts)
  expect([...named.keys()].sort()).toEqual(texts.toSorted())
  expect(new Set(named.values()).size).toBe(texts.length)
  expect([...(await idsOf(1, [...texts, 'new']))]).toEqual(expect.arrayContaining([...named]))
  expect(await idsOf(1, [...texts, 'unknown'], false)).toEqual(named)
  const read = await valuesOf(db, 1, [...named.values()])
  expect(read).toEqual(new Map([...named].map(([text, number]) => [number, text])))
})

test('value dictionary: the value id of one site means nothing on another', async () => {
  const named = await idsOf(2, ['of one site'])
  const other = await idsOf(3, ['of another'])
  expect(other.get('of another')).not.toBe(named.get('of one site'))
  expect(await valuesOf(db, 3, [...named.values()])).toEqual(new Map())
})

/** @param now a quarter of an hour later for each site: new ones get their newest day then */
async function rolledUpSite(now: Date): Promise<RolledUpSite> {
  const site = { ...(await createTestSite(db)), timezone: 'UTC' }
  const hits = [...TWINS, 'first', 'last'].flatMap((text, index) => {
    const at = TODAY - DAY + index * HOUR
    return [
      enrichedHit(site, at, { url: `/${text}`, title: text }),
      enrichedHit(site, at + 1, { type: 'event', name: text, url: '/', props: { [text]: text } }),
    ]
  })
  await storeHits(db, 0, hits)
  await rollUpAll(db, now)
  return site
}
const DAYS = [{ from: '2026-03-09', to: '2026-03-09' }]

test('value dictionary: texts with the same MD5 are counted separately on a rolled-up day', {
  tags: ['full'],
}, async () => {
  const { days, unanswered } = await expectRollupsEqualColumns(db, await rolledUpSite(NOW), DAYS, NOW)
  expect(unanswered.filter(asked => !asked.includes('payment'))).toEqual([])
  expect(days).toBe(1)
})

test('value dictionary: a day with a value id that the site does not have is counted over columns', async () => {
  const site = await rolledUpSite(new Date(NOW.getTime() + HOUR))
  await db`delete from value_dictionary where site_no = ${site.siteNo} and value = 'last'`
  const { unanswered } = await expectRollupsEqualColumns(db, site, DAYS, NOW)
  expect(unanswered).not.toEqual([])
})
