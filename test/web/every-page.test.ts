import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { SITE_PAGES } from '../../src/web/app/site/pages-of-site.ts'
import { PARTS } from '../../src/web/pages/settings/parts-of-settings.ts'
import { invitee } from '../support/log-in.ts'
import { teammate } from '../support/teammates.ts'
import { expectGood } from './audit-page.ts'
import { type SeededHit, type SeededSite, seededSite } from './seeded-site.ts'
import { siteVisit } from './site-visit.ts'
import { complaintsOf, openWhole, sessionOf } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const MINUTE = 60_000
/** A name that a visitor chose. */
const LONG = `"><script>alert(1)</script>\u202e${'w'.repeat(400)} ${'long '.repeat(60)}`
const MAIL = `${'a'.repeat(60)}.${'b'.repeat(60)}@example.com`
const VISITOR = randomUUID()

const hit = (minutes: number, fields: SeededHit['fields']): SeededHit => ({
  ...{ at: NOW.getTime() - minutes * MINUTE, visitor: VISITOR, fields: fields! },
})

const name = LONG.slice(0, 255)
const all = siteVisit({
  ...{ now: () => NOW, timezone: 'America/New_York' },
  hits: [
    hit(10, { url: `/${LONG}`.slice(0, 2_000), title: LONG, referrer: 'javascript:alert(1)' }),
    hit(9, { type: 'event', name, props: { plan: LONG.slice(0, 500), link: 'javascript:alert(1)' } }),
    hit(8, { url: '/b', title: 'B' }),
    hit(7, { type: 'error', name: 'TypeError', error: { name: 'TypeError', message: LONG, stack: LONG } }),
    hit(6, { type: 'identify', identity: { identifier: `ada-${LONG.slice(0, 200)}`, name } }),
  ],
})
let empty: SeededSite
/** Somebody without a login. */
let stranger: { page: Page; complaints: string[] }
/** What stands for these in an address is known when the site is made. */
const named: Record<string, string> = {}

beforeAll(async () => {
  const { visit, member, site, read } = all
  empty = await seededSite(visit, member)
  const page = await (await visit.person()).newPage()
  stranger = { page, complaints: complaintsOf(page) }
  await site.call('POST', '/goals', { match_type: 'page', match_value: '/b', display_name: name })
  await site.call('POST', '/payments', {
    ...{ amount: 4900, currency: 'USD', transaction_id: 'sale-1', visitor_id: VISITOR },
    ...{ name, customer_id: 'customer-1' },
  })
  const { api } = visit
  const { headers, teamId } = member.login
  const made = [
    await api.call('POST', '/api/invitations', { headers, body: { email: MAIL, role: 'member' } }),
    await api.call('POST', '/api/tokens', { headers, body: { name: 'Token '.repeat(40) } }),
    await api.call('PATCH', '/api/team', { headers, body: { name: 'Team '.repeat(15).trim() } }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 200])
  await teammate(api, { teamId, role: 'viewer', email: `x${MAIL}`, name: 'W'.repeat(100) })
  const share = await site.call('POST', '/shares', { name: 'W'.repeat(60), sections: ['traffic', 'pages'] })
  const [visited] = (await read(`/stats/sessions?visitor_id=${VISITOR}`)).data
  const [group] = (await read('/stats/errors')).data
  Object.assign(named, {
    ...{ ':person': VISITOR, ':session': visited.session_id, ':error': group.id },
    ':share': new URL(share.body.url).pathname + new URL(share.body.url).hash,
    ':setup': (await invitee(api)).secret,
  })
})

const lists = [...SITE_PAGES.map(({ path }) => path), 'install', 'connect-stripe']
const settings = PARTS.filter(part => part.name !== 'general').map(part => `settings/${part.name}`)
const details = ['people/:person', 'sessions/:session', 'errors/:error', 'money/customers/c:customer-1']
const ofTeam = [
  ...['', 'new', 'nothing/here'],
  ...['', '/invitations', '/tokens', '/log', '/settings'].map(part => `team${part}`),
  ...['', '/security', '/devices', '/display', '/teams', '/unknown'].map(part => `account${part}`),
]
const ofAnybody = [
  ...['login#error=invalid', 'setup#:setup', 'reset', 'invite#unknown', 'confirm-address#unknown'],
  ...['mail/confirm/made.up', ':share'],
]

async function open(page: Page, path: string, within = false) {
  const address = path.replace(/:(person|session|error|share|setup)\b/, id => named[id]!)
  await openWhole(page, `${all.visit.origin}/${address.replace(/^\//, '')}`, within)
}
const inSite = (of: SeededSite, path: string) => `sites/${of.domain}/${path}?range=last_30_days`

const members = [...lists, ...settings, ...details].map(path => [`sites/…/${path}`, path] as const)
test.each([...members, ...ofTeam.map(path => [path, undefined] as const)])(
  'every page, once: /%s opens for a member, complains of nothing, and loads nothing from another origin',
  async (general, path) => {
    const { visit, member, page, site } = all
    const foreign: string[] = []
    const look = (request: { url(): string }) => {
      const url = request.url()
      if (!/^(data|blob):/.test(url) && !url.startsWith(visit.origin)) foreign.push(url)
    }
    page.on('request', look)
    await open(page, path === undefined ? general : inSite(site, path), page.url().startsWith(visit.origin))
    page.off('request', look)
    expect(await page.getByText('This did not work').isVisible()).toBe(false)
    expect(await sessionOf(member.context)).toBe(member.login.secret)
    expect({ foreign, complaints: member.complaints.splice(0) }).toEqual({ foreign: [], complaints: [] })
  },
)

test.each(ofAnybody)('every page, once: /%s opens without a login', async path => {
  await open(stranger.page, path)
  expect(await stranger.page.getByText('This did not work').isVisible()).toBe(false)
  expect(stranger.complaints.splice(0)).toEqual([])
})

const SWEEP = { tags: ['full'] }
const EXPECTED = 'fits a phone, and has no serious fault for keyboards and screen readers'

test.each([...lists, ...settings, ...details])(
  `every page, hostile, empty, on a phone and by keyboard: /%s with hostile names ${EXPECTED}`,
  SWEEP,
  async path => {
    const { page, member, site } = all
    await open(page, inSite(site, path))
    await expectGood(page, member.complaints)
    expect(await page.textContent('main')).not.toContain('\u202e')
  },
)

test.each([...lists, ...settings])(
  `every page, hostile, empty, on a phone and by keyboard: /%s of an empty site ${EXPECTED}`,
  SWEEP,
  async path => {
    const { page, member } = all
    await open(page, inSite(empty, path))
    await expectGood(page, member.complaints)
  },
)

test(
  `every page, hostile, empty, on a phone and by keyboard: pages of a team and of a person in German: each ${EXPECTED}`,
  SWEEP,
  async () => {
    const { teamId } = all.member.login
    const { page, context, complaints } = await all.visit.member({ teamId, locale: 'de-AT' })
    for (const path of ofTeam) {
      await open(page, path)
      await expectGood(page, complaints, path)
    }
    await page.waitForSelector('text=Diese Seite gibt es nicht')
    await context.close()
  },
)

test(
  `every page, hostile, empty, on a phone and by keyboard: pages without a login in German: each ${EXPECTED}`,
  SWEEP,
  async () => {
    const context = await all.visit.person({ locale: 'de-DE' })
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    for (const path of ofAnybody) {
      await open(page, path)
      expect(await page.getAttribute('html', 'lang')).toBe('de')
      await expectGood(page, complaints, path)
    }
    await open(page, 'login')
    await page.click('text=English')
    await page.waitForSelector('html[lang=en]')
    await context.close()
  },
)
