import { expect, test } from 'vitest'
import { shareInBrowser } from '../support/shares.ts'
import { ADA, BEN, CAI, hit, type StatsSite, useStats } from './stats-site.ts'

const RANGE = 'from=2026-03-09&to=2026-03-18'
const boom = { type: 'error', name: 'TypeError', url: '/pay', error: { message: 'boom' } } as const

let site: StatsSite
const read = (path: string) => stats.read(site, path)

interface Item {
  timestamp: string
  event_type: string
  visitor_id: string
  session_id: string
}

/** Ada meets the error in two sessions, twice in the first, which lasts over midnight; Ben in one, and Cai another error. */
const stats = useStats(async () => {
  site = await stats.site()
  await stats.store([
    hit(site, '2026-03-09T23:50:00Z', { visitorId: ADA, url: '/' }),
    hit(site, '2026-03-09T23:55:00Z', { ...boom, visitorId: ADA }),
    hit(site, '2026-03-10T00:05:00Z', { ...boom, visitorId: ADA }),
    hit(site, '2026-03-12T09:00:00Z', { visitorId: ADA, url: '/pay' }),
    hit(site, '2026-03-12T09:00:10Z', { ...boom, visitorId: ADA }),
    hit(site, '2026-03-12T09:00:20Z', { ...boom, visitorId: BEN }, { country: 'DE' }),
    hit(site, '2026-03-12T09:00:30Z', { ...boom, visitorId: CAI, error: { message: 'bang' } }),
  ])
})

test('errors and event log: every item of a visitor names the session in which it happened', async () => {
  const [group] = (await read(`/stats/errors?${RANGE}`)).data
  const occurrences = `/stats/errors/${group.id}/events?${RANGE}`
  const log = [RANGE, `${RANGE}&path=/pay`, `${RANGE}&country=DE`].map(query => `/stats/events?${query}`)
  for (const path of [occurrences, ...log]) {
    const { data } = await read(path)
    expect(data.length).toBeGreaterThan(0)
    for (const { session_id, visitor_id, timestamp, event_type = 'error' } of data) {
      const { session, data: hits } = await read(`/stats/sessions/${session_id}`)
      expect(session).toMatchObject({ session_id, visitor_id })
      const same = hits.filter((hit: Item) => hit.timestamp === timestamp && hit.event_type === event_type)
      expect(same).toHaveLength(1)
    }
  }
  const { data } = await read(occurrences)
  const sessions = data.map(({ session_id }: Item) => session_id)
  expect([sessions.length, new Set(sessions).size, sessions[2]]).toEqual([4, 3, sessions[3]])
})

test('event log: an event that the service wrote without a session names none', async () => {
  const shop = await stats.site()
  await stats.api.call('POST', `${shop.path}/payments`, {
    token: stats.owner.token,
    body: { amount: 5, currency: 'USD', transaction_id: 'a', timestamp: '2026-03-10T09:00:00Z' },
  })
  const { data } = await stats.read(shop, `/stats/events?${RANGE}`)
  expect(data).toMatchObject([{ event_name: 'payment', visitor_id: '', session_id: '' }])
})

test('event log: a session that retention takes away is not named', async () => {
  await stats.api.services.db`
    update sites set details_from = '2026-03-10T00:00:00Z' where id = ${site.id}`
  const { data } = await read(`/stats/events?${RANGE}&types=error`)
  await stats.api.services.db`update sites set details_from = null where id = ${site.id}`
  const late = data.find(({ timestamp }: Item) => timestamp === '2026-03-10T00:05:00.000Z')
  expect(late).toMatchObject({ visitor_id: ADA, session_id: '' })
  expect(data.filter(({ session_id }: Item) => session_id === '')).toEqual([late])
})

test('event log: readers of a share without people get no session', async () => {
  const share = async (sections: string[]) => {
    const made = await shareInBrowser(stats.api, stats.owner, site.path, {
      name: sections.join(),
      sections,
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    return (path: string) => stats.api.call('GET', `${site.path}${path}`, { token: made.body.secret })
  }
  const [{ id }] = (await read(`/stats/errors?${RANGE}`)).data
  for (const path of [`/stats/events?${RANGE}`, `/stats/errors/${id}/events?${RANGE}`]) {
    const hidden = await (await share(['events', 'errors']))(path)
    const shown = await (await share(['events', 'errors', 'people']))(path)
    expect(new Set(hidden.body.data.map(({ session_id }: Item) => session_id))).toEqual(new Set([null]))
    const named = (await read(path)).data.map(({ session_id }: Item) => session_id)
    expect(shown.body.data.map(({ session_id }: Item) => session_id)).toEqual(named)
  }
})
