// @module-tag full
import { beforeAll, expect, test } from 'vitest'
import { importHits } from '../../../../src/ingestion/import/import-hits.ts'
import { exportTeam } from '../../../../src/outgoing/transfer/archive/export-team.ts'
import { openArchive } from '../../../../src/outgoing/transfer/archive/open-archive.ts'
import { restoreTeam } from '../../../../src/outgoing/transfer/archive/restore/restore-team.ts'
import { exportHits } from '../../../../src/outgoing/transfer/export/export-hits.ts'
import type { ImportServices } from '../../../../src/outgoing/transfer/imports/import-kind.ts'
import { NOW, startRevenue } from '../../../contract/revenue-shop.ts'
import { ADA, BEN, CAI, hit, type Stats, type StatsSite, startStats } from '../../../contract/stats-site.ts'
import { temporaryFolder } from '../../../scripts/command.ts'
import { READS } from '../../../stats/sharing/reads.ts'
import { testDatabase } from '../../../support/database.ts'
import { dyingAfter, dyingAt } from '../../../support/dying-after.ts'
import { importServices } from '../../../support/import-services.ts'
import { ofFile } from '../../../support/of-file.ts'
import { event, item, price, SECRET, subscription } from '../../../support/stripe.ts'
import { HOUR, retain, sendVisits, settle } from '../../retention/retained-sites.ts'
import { collect, fileOf } from '../read/source.ts'
import { answersOf, exactRows, type Read } from './answers.ts'

// The site has details from 14 February in Berlin on. Rows of the days since 12 February are still there, but no read sees them.
const DETAILS_FROM = '2026-02-13T23:00:00.000Z'
const DAN = '00000000-0000-4000-8000-00000000000d'
const LONG_MESSAGE = 'x'.repeat(6_000)

const ALL = { from: '2026-01-01', to: '2026-03-18' }
const GONE = { from: '2026-01-04', to: '2026-02-10' }
const KEPT = { from: '2026-02-14', to: '2026-03-17' }

const over = (range: object, reads: readonly Read[]): Read[] =>
  reads.map(({ path, input }) => ({ path, input: 'from' in input ? { ...input, ...range } : input }))
const breakdown = (more: object): Read => ({ path: '/stats/breakdown', input: { ...ALL, ...more } })
const MORE: Read[] = [
  { path: '/overview', input: ALL },
  { path: '/overview', input: { ...ALL, country: 'DE' } },
  { path: '/stats/timeseries', input: { ...ALL, metric: 'visitors' } },
  { path: '/stats/events', input: { ...ALL, per_page: 30, event_name: 'payment' } },
  { path: '/stats/events', input: { ...ALL, per_page: 30, source: 'Google' } },
  { path: '/stats/money/customers', input: { ...ALL, per_page: 50 } },
  ...['source', 'country', 'path', 'entry_path', 'exit_path', 'language'].map(dimension =>
    breakdown({ dimension }),
  ),
  breakdown({ dimension: 'path', event_name: 'subscription_upgraded' }),
]
const FEW = [...MORE, ...over(GONE, MORE)]
const READ: Read[] = [
  ...over(ALL, READS),
  ...FEW,
  ...over(KEPT, MORE),
  { path: '', input: {} },
  { path: '/payments', input: { per_page: 100 } },
]

const source = ofFile(startRevenue)
const target = ofFile(async () => startStats(undefined, await testDatabase()))
let site: StatsSite
const folder = temporaryFolder()
let archive: Buffer

const answers = (stats: Pick<Stats, 'read'>, reads = READ) =>
  answersOf(stats, site, reads, { person: ADA, range: 'from=2026-02-14&to=2026-03-18' })

beforeAll(async () => {
  site = await source.shop('Europe/Berlin')
  const { db } = source.api.services
  const page = (at: string, visitorId: string, more: object = {}) =>
    hit(
      site,
      at,
      { url: '/kept', title: 'Kept', visitorId },
      { source: 'Google', country: 'DE', language: 'de', ...more },
    )
  const error = (at: string, visitorId: string) =>
    hit(site, at, { type: 'error', name: 'error', url: '/kept', visitorId, error: { message: LONG_MESSAGE } })
  await source.store([
    page('2026-01-03T10:00:00Z', DAN, { source: 'Bing' }),
    page('2026-01-04T10:00:00Z', BEN),
    page('2026-01-05T10:00:00Z', ADA),
    error('2026-01-05T10:01:00Z', ADA),
    page('2026-02-12T10:00:00Z', CAI, { source: 'Bing' }),
    // Over the boundary.
    page('2026-02-13T22:50:00Z', ADA),
    page('2026-02-13T23:10:00Z', ADA),
    page('2026-03-10T10:00:00Z', ADA),
    error('2026-03-10T10:01:00Z', ADA),
  ])
  await sendVisits(db, site, { first: '2026-01-20', days: 57, every: 11 * HOUR })
  const costing = (amount: number) =>
    subscription({
      ...{ id: 'sub_1', customer: 'cus_1', status: 'active', metadata: { visitor_id: BEN } },
      items: [item(price(amount), { id: 'si_1' })],
    })
  const seconds = (at: string) => Date.parse(at) / 1000
  await source.deliverAll(site, [
    event('customer.subscription.created', costing(2_000), seconds('2026-01-04T10:30:00Z')),
    event('customer.subscription.updated', costing(3_000), seconds('2026-03-01T10:00:00Z')),
  ])
  for (const [visitor_id, timestamp, email] of [
    [BEN, '2026-01-05T00:00:00Z', 'ben@example.com'],
    [BEN, '2026-03-02T00:00:00Z', 'ben@example.com'],
    [CAI, '2026-03-03T00:00:00Z', 'cai@example.com'],
    [ADA, '2026-03-11T00:00:00Z', 'ada@example.com'],
  ]) {
    expect((await source.pay(site, { visitor_id, timestamp, email })).status).toBe(201)
  }
  await db`update sites set retention_months = 1 where id = ${site.id}`
  await settle(db, new Date(NOW))
  await retain(db, new Date(NOW))
  // Erased since: the numbers of days without details still count the visitor.
  await db`delete from visitors where id = ${DAN}`
  // One visit begins while the archive is written.
  await source.store([hit(site, '2026-03-18T12:00:05Z', { visitorId: CAI, url: '/later' })])
  archive = await exported(NOW)
  // Other numbers of sites, visitors, sessions and values than in the archive.
  const other = await target.site()
  await target.store(
    ['a', 'b', 'c'].map(name =>
      hit(other, '2026-03-01T00:00:00Z', { visitorId: BEN.replace('b', name), url: `/${name}` }),
    ),
  )
  await settle(target.api.services.db, new Date(NOW))
})

/** Archives of two moments differ. */
const exported = async (now: string): Promise<Buffer> => {
  const given = { teamId: source.owner.teamId, productVersion: '1.0.0', now: new Date(now), folder }
  return Buffer.concat(await collect(exportTeam(source.api.services.db, given)))
}

/** Before hits are stored, while they are, while money is, and at the end. */
const STOPS: ((services: ImportServices) => Partial<ImportServices>)[] = [
  () => ({ requireFreeDisk: () => Promise.reject(new Error('killed')) }),
  ({ db }) => ({ db: dyingAfter(db, 60) }),
  ({ db }) => ({ db: dyingAt(db, 'restore-movements') }),
  ({ db }) => ({ db: dyingAt(db, 'show-restored-site') }),
]

async function restoring(stop: (typeof STOPS)[number] = () => ({}), bytes = archive) {
  const services = await importServices(target.api.services)
  const opened = await openArchive(fileOf(bytes, 'team.tar', 100_000))
  return restoreTeam({ ...services, ...stop(services) }, opened, { teamId: target.owner.teamId })
}

/** As `export:hits --from` and `hits:import` do. */
async function importSince(moment: string): Promise<void> {
  const [row] = await target.api.services.db<{ siteNo: number }[]>`
    select site_no as "siteNo" from sites where id = ${site.id}`
  const span = { start: new Date(moment), end: new Date('2026-03-19T00:00:00Z'), isWhole: false }
  const given = { siteNo: site.siteNo, ...span, format: 'jsonl' } as const
  const lines = exportHits(source.api.services.db, given)
  const to = { ...row!, siteId: site.id, timezone: 'Europe/Berlin', trackingMode: 'cookie' } as const
  const services = { ...(await importServices(target.api.services)), now: () => span.end }
  expect(await importHits(to, lines, services)).toMatchObject({ accepted: 1, rejected: [] })
}

test('an archive of a site whose details are gone in part, restored after several stops, gives every read the same', async () => {
  expect((await source.read(site, '')).details_from).toBe(DETAILS_FROM)
  for (const stop of STOPS) {
    await expect(restoring(stop)).rejects.toThrow('killed')
    expect((await target.ask(site.path)).status).toBe(404)
    expect((await target.ask('/api/sites')).text).not.toContain(site.id)
  }
  expect((await restoring()).sites).toEqual([expect.objectContaining({ site_id: site.id })])
  const { db } = target.api.services
  expect(await db`select from teams where name like 'Import of %'`).toEqual([])
  await importSince(NOW)
  const body = { provider: 'stripe', webhook_secret: SECRET }
  await target.api.call('PUT', `${site.path}/processor`, { token: target.owner.token, body })
  expect(await exactRows(db, site)).toEqual(await exactRows(source.api.services.db, site))
  expect(await answers(target)).toEqual(await answers(source))

  // A visitor who comes back is counted once, and the visit has the next number.
  for (const { api, store } of [source, target]) {
    const [found] = await api.services.db<{ siteNo: number }[]>`
        select site_no as "siteNo" from sites where id = ${site.id}`
    await store([hit({ ...site, ...found }, '2026-03-18T11:00:00Z', { visitorId: BEN, url: '/again' })])
  }
  const visits = await target.read(site, `/stats/sessions?visitor_id=${BEN}&from=2026-03-18&to=2026-03-18`)
  expect(visits.data).toEqual([expect.objectContaining({ visit_count: 2 })])
  expect(await answers(target, FEW)).toEqual(await answers(source, FEW))

  // Retention deletes what is left of the days before, and changes no number.
  const before = await answers(target, FEW)
  await retain(target.api.services.db, new Date(NOW))
  expect(await answers(target, FEW)).toEqual(before)

  // A site that was deleted and purged may be restored again; a domain that is taken is refused, and so is a part of another archive.
  const { id } = site
  const [found] = await db<{ domain: string }[]>`select domain from sites where id = ${id}`
  const { domain } = found!
  // What a purge does with the rows of the tables, as far as ids are unique in the database.
  const tables =
    'payments payment_aliases goals funnels segments annotations totals_imports alert_rules imports'
  for (const table of tables.split(' '))
    await db.unsafe(`delete from ${table} where site_no = (select site_no from sites where id = $1)`, [id])
  await db`update sites set deleted_at = now(), purged_at = now() where id = ${id}`
  const [taken] = await db<{ id: string }[]>`
      insert into sites (team_id, domain) values (${target.owner.teamId}, ${domain}) returning id`
  await expect(restoring()).rejects.toThrow(/a site with the same domain/)
  expect((await target.ask(site.path)).status).toBe(404)
  await db`delete from sites where id = ${taken!.id}`

  // The part that is there belongs to an archive that is not used any more.
  const newer = await exported('2026-03-18T13:00:00Z')
  await expect(restoring(undefined, newer)).rejects.toThrow(/is being deleted/)
  const [gone] = await db`select from sites where id = ${id} and deleted_at is not null`
  expect(gone).toBeDefined()
  const parts = await db`select deleted_at is null as live from teams where restores_to is not null`
  expect(parts).toEqual([{ live: false }])
  await db`update sites set deleted_at = null where id = ${id}`
  await db`update teams set deleted_at = null where restores_to is not null`
  await restoring()
  expect((await target.ask(site.path)).status).toBe(200)
})
