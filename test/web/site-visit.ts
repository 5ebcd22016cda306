import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { startApi } from '../support/api.ts'
import { type SeededHit, type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { type Member, openWhole, startVisit, type Visit } from './visit.ts'

interface SiteVisit {
  visit: Visit
  member: Member
  page: Page
  /** In the team of the member, with the hits. */
  site: SeededSite
  /** Opens a page of the site, or of another one, as the member. */
  open(path: string, of?: SeededSite): Promise<void>
  /** Leads there from the page of the service that is open, as a link does. */
  go(path: string, of?: SeededSite): Promise<void>
  /** What the API says of the site to the member. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  read(path: string): Promise<any>
}

interface Options extends NonNullable<Parameters<typeof startApi>[0]> {
  /** Time zone of the site. */
  timezone?: string
  hits?: readonly SeededHit[]
}

/** The service with a site, and a member of its team with a browser, for all cases of a file. */
export function siteVisit({ timezone, hits = [], ...options }: Options = {}): SiteVisit {
  const all = {} as SiteVisit
  beforeAll(async () => {
    const visit = await startVisit(options)
    const member = await visit.member()
    const site = await seededSite(visit, member, timezone)
    await site.store(hits)
    const { page } = member
    const addressOf = (path: string, { domain }: SeededSite) =>
      `${visit.origin}/sites/${domain}${path === '' || path.startsWith('?') ? '' : '/'}${path}`
    Object.assign(all, {
      ...{ visit, member, page, site },
      open: (path: string, of = site) => openWhole(page, addressOf(path, of)),
      go: (path: string, of = site) => openWhole(page, addressOf(path, of), true),
      read: async (path: string) => (await site.call('GET', path)).body,
    })
  })
  afterAll(() => all.visit.close())
  return all
}

/** Expects that a part of a page says when its read takes too long, and shows it when it is tried again. */
export async function expectTooSlow(
  { page, open }: SiteVisit,
  path: string,
  procedure: string,
  shown: string,
) {
  const said = 'text=Try a shorter range or fewer filters'
  const pattern = `**/trpc/stats.${procedure}`
  await page.route(pattern, route => route.fulfill(TOO_SLOW))
  await open(path)
  await page.waitForSelector(said)
  await page.unroute(pattern)
  await page.click('role=button[name="Try again"]')
  await page.waitForSelector(said, { state: 'detached' })
  await page.waitForSelector(shown)
}
