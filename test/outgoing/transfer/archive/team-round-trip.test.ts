import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { exportTeam } from '../../../../src/outgoing/transfer/archive/export-team.ts'
import { openArchive } from '../../../../src/outgoing/transfer/archive/open-archive.ts'
import {
  type RestoreOptions,
  restoreTeam,
} from '../../../../src/outgoing/transfer/archive/restore/restore-team.ts'
import { randomMoney } from '../../../contract/random-money.ts'
import {
  ADA,
  BEN,
  DAY,
  hit,
  type Stats,
  type StatsSite,
  startStats,
  THAT_DAY,
} from '../../../contract/stats-site.ts'
import { temporaryFolder } from '../../../scripts/command.ts'
import { READS } from '../../../stats/sharing/reads.ts'
import { type Sharing, startSharing } from '../../../stats/sharing/world.ts'
import { testDatabase } from '../../../support/database.ts'
import { importServices } from '../../../support/import-services.ts'
import { event, invoice, item, price, SECRET, subscription } from '../../../support/stripe.ts'
import { collect, fileOf, textOf } from '../read/source.ts'
import { answersOf, exactRows, type Read } from './answers.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const IMPORTED = '00000000-0000-4000-8000-00000000001f'
const at = (time: string) => Date.parse(`${DAY}T${time}Z`) / 1000

let source: Sharing
let target: Stats
/** A site with random payments and subscriptions. */
let random: StatsSite
const folder = temporaryFolder()
let archive: Buffer
beforeAll(async () => {
  ;[source, target] = await Promise.all([
    startSharing(),
    testDatabase().then(db => startStats(undefined, db)),
  ])
  await fill(source)
  random = await source.shop('America/New_York')
  await randomMoney(source, random, 1)
  // Numbers of sites, on which ids of events depend, are others here.
  await target.site()
  await target.site()
  archive = await exported()
})
afterAll(() => Promise.all([source.close(), target.close()]))

/** Adds subscriptions of a visitor and of unknown ones, a customer with an alias, definitions, and a user. */
async function fill({ site, deliverAll, pay, call, api, owner }: Sharing) {
  const known = { id: 'sub_1', customer: 'cus_1', metadata: { visitor_id: ADA } }
  const unknown = { id: 'sub_2', customer: 'cus_2' }
  const changed = (kind: string, time: string, amount: number, of: typeof unknown, status = 'active') => {
    const items = [item(price(amount), { id: `si_${of.id}` })]
    return event(`customer.subscription.${kind}`, subscription({ ...of, items, status }), at(time))
  }
  const paid = invoice({ customer: 'cus_1', subscription: 'sub_1', paidAt: at('09:05:10') })
  await deliverAll(site, [
    changed('created', '09:05:00', 2_000, known),
    changed('created', '10:00:00', 900, unknown),
    changed('updated', '15:00:00', 3_000, known),
    changed('deleted', '18:00:00', 900, unknown, 'canceled'),
    event('invoice.paid', paid, at('09:05:10')),
  ])
  const stranger = '00000000-0000-4000-8000-0000000000ff'
  const trial = { is_free_trial: true, amount: 100, timestamp: `${DAY}T11:00:00Z` }
  await pay(site, { visitor_id: stranger, ...trial })
  const refund = { email: 'ben@example.com', refunded: true, timestamp: `${DAY}T14:00:00Z` }
  await pay(site, { visitor_id: BEN, ...refund })
  const silence = { name: 'Silence', condition: { kind: 'no_hits', hours: 6 }, emails: [] }
  for (const [path, body] of [
    ['/segments', { name: 'Germany', filters: { country: 'DE' } }],
    ['/alerts', silence],
  ] as const) {
    const made = await call('POST', `${site.path}${path}`, body)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
  await api.services.db`
    update alert_rules set emails = array['ada@example.com'], judged_at = now(), tested_at = now()
    where site_no = ${site.siteNo}`
  const [made] = await api.services.db<{ no: number }[]>`
    insert into totals_imports (site_no, format, file_name, fingerprint, is_ready, imported_at)
    values (${site.siteNo}, 'fathom', 'a.csv', 'f', true, now()) returning import_no as no`
  const import_no = made!.no
  await api.services.db`
    with families as (
      insert into totals_families (site_no, import_no, dimensions, numbers, from_day, to_day, row_count)
      values
        (${site.siteNo}, ${import_no}, '{}', '{visitors,pageviews}', '2026-01-01', '2026-01-02', 2),
        (${site.siteNo}, ${import_no}, '{path}', '{visitors,pageviews}', '2026-01-01', '2026-01-02', 2)
      returning family_no, dimensions
    )
    insert into totals_days
    select ${site.siteNo}, family_no, day, md5(dimensions::text)::uuid, dimensions, family_no, 2, 3, 0, 0, 0
    from families, unnest(array['2026-01-01', '2026-01-02']::date[]) as day`
  // A visitor of an import that can be undone, with a user whom no live hit has named.
  const identity = { identifier: 'old' }
  const hits = [
    hit(site, `${DAY}T15:00:00Z`, { visitorId: IMPORTED }),
    hit(site, `${DAY}T15:01:00Z`, { type: 'identify', visitorId: IMPORTED, identity }),
  ]
  const imported = hits.map((each, index) => ({ ...each, importedAs: 'umami', line: index + 1 }))
  await storeHits(api.services.db, 0, imported)
  await api.services.db`
    insert into imports (id, site_no, kind, format, timezone, file_name, bytes, state, has_written, created_at)
    values (${IMPORTED}, ${site.siteNo}, 'hits', 'umami', 'UTC', 'a.zip', 9, 'done', true, now())`
  // A checkout that named its visitor: a fact whose body is JSON's null.
  await api.services.db`
    insert into processor_facts (site_no, event_id, kind, at, object_id, sale_ids, visitor_id, body)
    values (${site.siteNo}, 'evt_link', 'link', ${`${DAY}T16:00:00Z`}, 'cs_1', '{cs_1}', ${BEN}, 'null')`
  await api.services.db`
    insert into erased_payers (site_no, digest, erased_at)
    select ${site.siteNo}, gen_random_uuid(), now() from generate_series(1, 2)`
  await api.services.db`
    insert into users (team_id, email, role, site_ids) values (${owner.teamId}, 'member@example.com', 'member', ${[site.id]})`
}

const JANUARY = { from: '2026-01-01', to: '2026-01-31' }
const ALL_READS: Read[] = [
  ...READS,
  { path: '/payments', input: { per_page: 100 } },
  { path: '/segments', input: {} },
  { path: '/imports', input: {} },
  { path: '/overview', input: { from: '2026-01-01', to: '2026-03-18', imported: 'true' } },
  { path: '/stats/breakdown', input: { ...JANUARY, dimension: 'path', imported: 'true' } },
]
const allAnswers = (stats: Pick<Stats, 'read'>) =>
  answersOf(stats, source.site, ALL_READS, { person: ADA, range: THAT_DAY })

const exported = async (partBytes?: number): Promise<Buffer> => {
  const given = { teamId: source.owner.teamId, productVersion: '1.0.0', now: NOW, folder }
  const pieces = exportTeam(source.api.services.db, { ...given, ...(partBytes && { partBytes }) })
  return Buffer.concat(await collect(pieces))
}

/** Keys of processors do not come along. */
async function connect({ path }: StatsSite) {
  const body = { provider: 'stripe', webhook_secret: SECRET }
  const connected = await target.api.call('PUT', `${path}/processor`, { token: target.owner.token, body })
  expect(connected.status).toBe(200)
}

async function restored(bytes: Buffer, options: RestoreOptions = {}) {
  const services = await importServices(target.api.services)
  return restoreTeam(services, await openArchive(fileOf(bytes, 'team.tar', 100_000)), options)
}

const expectSameRows = async (of: StatsSite) =>
  expect(await exactRows(target.api.services.db, of)).toEqual(await exactRows(source.api.services.db, of))

test('a whole team as one archive: restored into another database, every read gives the same', async () => {
  const { team_id, sites } = await restored(archive, { teamId: target.owner.teamId })
  const [domain, hits] = [expect.any(String), expect.any(Number)]
  expect(team_id).toBe(target.owner.teamId)
  expect(sites).toEqual([source.site, random].map(({ id }) => ({ site_id: id, domain, hits })))
  await connect(source.site)
  await expectSameRows(source.site)
  expect(await allAnswers(target)).toEqual(await allAnswers(source))
  expect(readdirSync(folder)).toEqual([])
})

test('random money: rows and reads of money are the same', { tags: ['full'] }, async () => {
  await connect(random)
  await expectSameRows(random)
  for (const path of ['/stats/money', '/stats/money/movements', '/stats/money/customers', '/overview']) {
    const read = (stats: Pick<Stats, 'read'>) => stats.read(random, `${path}?from=2026-01-01&to=2026-03-18`)
    expect(await read(target), path).toEqual(await read(source))
  }
})

test('alerts come switched off: none tells of the move', async () => {
  expect(await target.read(source.site, '/alerts')).toEqual(
    (await source.read(source.site, '/alerts')).map((alert: object) => ({ ...alert, is_enabled: false })),
  )
})

test('a whole team as one archive: restored again, nothing changes; another team does not get a site that the database has', async () => {
  const answers = async () => [
    await target.read(source.site, `/overview?${THAT_DAY}`),
    await exactRows(target.api.services.db, source.site),
  ]
  const before = await answers()
  const { sites } = await restored(archive, { teamId: target.owner.teamId })
  expect(sites.map(({ hits }) => hits)).toEqual([null, null])
  expect(await answers()).toEqual(before)
  await expect(restored(archive)).rejects.toThrow(/Another team of this database has the site/)
})

test('a whole team as one archive: the archive is the same in parts of any size, and has users without anything of their login', {
  tags: ['full'],
}, async () => {
  const { manifest, files } = await openArchive(fileOf(await exported(200), 'team.tar', 100_000))
  const whole = await openArchive(fileOf(archive, 'team.tar', 100_000))
  expect(files.length).toBeGreaterThan(whole.files.length)
  const textsOf = async (of: typeof files) => {
    const texts: Record<string, string> = {}
    for (const { siteId, kind, read } of of) {
      texts[`${siteId}/${kind}`] = (texts[`${siteId}/${kind}`] ?? '') + (await textOf(read()))
    }
    return texts
  }
  const texts = await textsOf(files)
  expect(texts).toEqual(await textsOf(whole.files))
  expect(manifest.team.id).toBe(source.owner.teamId)
  const users = texts['null/users']!.trim().split('\n')
  expect(users.map(line => Object.keys(JSON.parse(line)).sort())).toEqual(
    users.map(() => ['created_at', 'email', 'role', 'site_ids']),
  )
  const { db } = target.api.services
  expect(await db`select role, site_ids, login_id from users where email = 'member@example.com'`).toEqual([
    { role: 'member', site_ids: [source.site.id], login_id: null },
  ])
})

test('a whole team as one archive: after the move, a payment that is deleted takes its events along', async () => {
  const { site } = source
  const events = () => target.api.services.db`
    select name from events
    where is_service and site_no = (select site_no from sites where id = ${site.id})`
  const before = (await events()).length
  const [payment] = (await target.read(site, '/payments?per_page=100')).data.filter(
    (each: { source: string }) => each.source === 'api',
  )
  const gone = await target.api.call('DELETE', `${site.path}/payments`, {
    token: target.owner.token,
    body: { transaction_id: payment.transaction_id },
  })
  expect(gone.status).toBe(200)
  expect((await events()).length).toBeLessThan(before)
})

test('a whole team as one archive: money that an import has read and not worked out yet is refused; what could not be worked out is not', {
  tags: ['full'],
}, async () => {
  const { db } = source.api.services
  const { id } = source.site
  await db`
    insert into revenue_import_work (site_no, kind, id) select site_no, 'sale', 'in_later' from sites where id = ${id}`
  await expect(exported()).rejects.toThrow(/An import of payments of .* is not finished/)
  await db`update revenue_import_work set failure = 'no such price' where id = 'in_later'`
  expect((await exported()).length).toBeGreaterThan(0)
  await db`delete from revenue_import_work where id = 'in_later'`
})

test('a whole team as one archive: a site that is deleted while it is read is refused; so is one that loses details', {
  tags: ['full'],
}, async () => {
  const { db } = source.api.services
  const given = { teamId: source.owner.teamId, productVersion: '1.0.0', now: NOW, folder }
  const exportedWhile = (change: () => PromiseLike<unknown>) =>
    collect(exportTeam(db, { ...given, onFile: () => void change().then(() => {}) }))
  const { id } = source.site
  const deleting = exportedWhile(() => db`update sites set deleted_at = now() where id = ${id}`)
  await expect(deleting).rejects.toThrow(/was deleted while/)
  await db`update sites set deleted_at = null where id = ${id}`
  const from = `${DAY}T00:00:00Z`
  const losing = exportedWhile(() => db`update sites set details_from = ${from} where id = ${id}`)
  await expect(losing).rejects.toThrow(/Details or history of .* were deleted/)
  await db`update sites set details_from = null where id = ${id}`
  expect(readdirSync(folder)).toEqual([])
})
