import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { DAY, NOW, settle } from '../retention/retained-sites.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'

const RANGE = 'from=2026-03-20&to=2026-04-10'
const SITE = '/api/sites/hours.example'
const FIRST = Date.parse('2026-03-22T03:40:00Z')
/** One pageview of another visitor each. Clocks of Berlin change on 29 March. */
const TIMES = Array.from({ length: 120 }, (_, index) => FIRST + index * 3.3 * 3_600_000)

let api: Api
let owner: Member
beforeAll(async () => {
  api = await startApi({ now: () => NOW })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
  const { body } = await call('POST', '/api/sites', { domain: 'hours.example', timezone: 'UTC' })
  const [row] = await api.services.db`select site_no from sites where id = ${body.id}`
  const site = { id: body.id, siteNo: row!.site_no, key: '' }
  await storeHits(
    api.services.db,
    0,
    TIMES.map((at, index) =>
      enrichedHit(site, at, { visitorId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` }),
    ),
  )
})
afterAll(() => api.close())

const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { token: owner.token, ...(body && { body }) })

/** Visitors by weekday and hour, as a clock of the zone shows them. */
function recount(timeZone: string): Record<string, number> {
  const clock = new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  })
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
  const counts: Record<string, number> = {}
  for (const at of TIMES) {
    const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]))
    const hour = `${1 + days.indexOf(parts.weekday!)}-${parts.hour}`
    counts[hour] = (counts[hour] ?? 0) + 1
  }
  return counts
}

async function hours(filter = ''): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const page of [1, 2]) {
    const { body } = await call(
      'GET',
      `${SITE}/stats/breakdown?${RANGE}&dimension=hour_of_week&per_page=100&page=${page}${filter}`,
    )
    for (const { value, visitors } of body.data) counts[value] = visitors
  }
  return counts
}

test('hour of the week: after a change of the zone all history has the hours of the new one, also what was rolled up', async () => {
  const rolledUp = async () =>
    (await api.services.db`select count(*)::int as count from daily_rollups`)[0]!.count as number
  await settle(api.services.db)
  expect(await rolledUp()).toBeGreaterThan((TIMES.at(-1)! - FIRST) / DAY)
  expect(await hours()).toEqual(recount('UTC'))
  for (const zone of ['Asia/Kathmandu', 'Europe/Berlin', 'America/St_Johns', 'UTC']) {
    expect((await call('PATCH', `${SITE}/timezone`, { timezone: zone })).status).toBe(200)
    // Before the days are rolled up again, and after.
    expect(await hours(), `${zone} before`).toEqual(recount(zone))
    await settle(api.services.db)
    expect(await hours(), `${zone} after`).toEqual(recount(zone))
    expect(await hours('&browser[is_not]=none'), `${zone} filtered`).toEqual(recount(zone))
  }
})
