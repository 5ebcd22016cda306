import { expect } from 'vitest'
import type { Db } from '../../src/platform/db/connect.ts'
import { getOverview } from '../../src/stats/reads/overview.ts'
import type { HitStream } from './random-hits.ts'
import { readServices, readSite } from './read-services.ts'
import { type Recount, recountOverview } from './recount.ts'
import type { TestSite } from './sites.ts'

const DAY = 86_400_000

/** What is stored of a site equals the recount, session by session. */
export async function expectSameSessions(db: Db, site: TestSite, recount: Recount) {
  const rows = await db`
    select visitors.id as visitor, started_at as "startedAt", first_at as "firstAt", last_at as "lastAt",
      duration_ms as "durationMs", pageviews, events, entry_path as "entryPath", user_id as "userId",
      visit_count as "visitCount"
    from sessions join visitors using (site_no, visitor_no)
    where sessions.site_no = ${site.siteNo}
    order by started_at, visitors.id`
  const stored = rows.map(row => ({
    ...row,
    startedAt: row.startedAt.getTime(),
    firstAt: row.firstAt.getTime(),
    lastAt: row.lastAt.getTime(),
  }))
  expect(stored).toEqual(
    recount.sessions.map(({ hits: _hits, openedBy: _by, ...session }) => ({
      ...session,
      durationMs: session.lastAt - session.firstAt,
    })),
  )
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** What the overview says of a site equals the recount, for ranges around the hits. */
export async function expectSameOverviews(
  db: Db,
  site: TestSite,
  stream: Pick<HitStream, 'zone' | 'hits' | 'around'>,
  recount: Recount,
) {
  const first = Math.min(...stream.hits.map(hit => hit.at))
  const last = Math.max(...stream.hits.map(hit => hit.at))
  const ranges = [
    [dayOf(first - DAY), dayOf(last + DAY)],
    [dayOf(stream.around), dayOf(stream.around)],
    [dayOf(stream.around - DAY), dayOf(stream.around)],
    [dayOf(last), dayOf(last + DAY)],
  ] as const
  for (const [from, to] of ranges) {
    const services = readServices(db, new Date(last + DAY))
    const account = readSite(site, stream.zone)
    const { kpi: _kpi, ...numbers } = await getOverview(services, account, { range: 'today', from, to })
    expect({ from, to, ...numbers }).toEqual({
      from,
      to,
      ...recountOverview(stream.hits, recount, stream.zone, from, to),
    })
  }
}
