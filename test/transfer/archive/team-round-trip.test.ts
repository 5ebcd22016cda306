import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../../src/db/connect.ts'
import { exportTeam } from '../../../src/transfer/archive/export-team.ts'
import { openArchive } from '../../../src/transfer/archive/open-archive.ts'
import { type RestoreOptions, restoreTeam } from '../../../src/transfer/archive/restore/restore-team.ts'
import { ADA, BEN, DAY, type Stats, type StatsSite, startStats } from '../../contract/stats-site.ts'
import { READS } from '../../sharing/reads.ts'
import { type Sharing, startSharing } from '../../sharing/world.ts'
import { testDatabase } from '../../support/database.ts'
import { importServices } from '../../support/import-services.ts'
import { event, invoice, item, price, SECRET, subscription } from '../../support/stripe.ts'
import { collect, fileOf, textOf } from '../read/source.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const at = (time: string) => Date.parse(`${DAY}T${time}Z`) / 1000

let source: Sharing
let target: Stats
let folder: string
let archive: Buffer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'analytics-archive-'))
  ;[source, target] = await Promise.all([
    startSharing(),
    testDatabase().then(db => startStats(undefined, db)),
  ])
  await fill(source)
  // Numbers of sites, on which ids of events depend, are others here.
  await target.site()
  await target.site()
  archive = await exported()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await Promise.all([source.close(), target.close()])
})

/** Adds subscriptions of a visitor and of unknown ones, a customer with an alias, definitions, and a user. */
async function fill({ site, deliverAll, pay, call, api, owner }: Sharing) {
  const costing = (amount: number, id: string, more: object = {}) =>
    subscription({ id, items: [item(price(amount), { id: `si_${id}` })], status: 'active', ...more })
  await deliverAll(site, [
    event(
      'customer.subscription.created',
      costing(2_000, 'sub_1', { customer: 'cus_1', metadata: { visitor_id: ADA } }),
      at('09:05:00'),
    ),
    event('customer.subscription.created', costing(900, 'sub_2', { customer: 'cus_2' }), at('10:00:00')),
    event(
      'customer.subscription.updated',
      costing(3_000, 'sub_1', { customer: 'cus_1', metadata: { visitor_id: ADA } }),
      at('15:00:00'),
    ),
    event(
      'customer.subscription.deleted',
      costing(900, 'sub_2', { customer: 'cus_2', status: 'canceled' }),
      at('18:00:00'),
    ),
    event(
      'invoice.paid',
      invoice({ customer: 'cus_1', subscription: 'sub_1', paidAt: at('09:05:10') }),
      at('09:05:10'),
    ),
  ])
  await pay(site, {
    visitor_id: '00000000-0000-4000-8000-0000000000ff',
    timestamp: `${DAY}T11:00:00Z`,
    is_free_trial: true,
    amount: 100,
  })
  await pay(site, {
    visitor_id: BEN,
    email: 'ben@example.com',
    refunded: true,
    timestamp: `${DAY}T14:00:00Z`,
  })
  const segment = await call('POST', `${site.path}/segments`, { name: 'Germany', filters: { country: 'DE' } })
  expect(segment.status, JSON.stringify(segment.body)).toBe(201)
  const [{ import_no }] = (await api.services.db`
    insert into totals_imports (site_no, format, file_name, fingerprint, is_ready, imported_at)
    values (${site.siteNo}, 'fathom', 'a.csv', 'f', true, now()) returning import_no`) as unknown as [
    { import_no: number },
  ]
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
  await api.services.db`
    insert into erased_payers (site_no, digest, erased_at)
    select ${site.siteNo}, gen_random_uuid(), now() from generate_series(1, 2)`
  await api.services.db`
    insert into users (team_id, email, role, site_ids) values (${owner.teamId}, 'member@example.com', 'member', ${[site.id]})`
}

const exported = async (partBytes?: number): Promise<Buffer> => {
  const given = { teamId: source.owner.teamId, productVersion: '1.0.0', now: NOW, folder }
  const pieces = exportTeam(source.api.services.db, { ...given, ...(partBytes && { partBytes }) })
  return Buffer.concat(await collect(pieces))
}

async function restored(bytes: Buffer, options: RestoreOptions = {}) {
  const services = await importServices(target.api.services)
  return restoreTeam(services, await openArchive(fileOf(bytes, 'team.tar', 100_000)), options)
}

/** Fields that name something of one database, carry its address, or say which of its tables were read. */
const OWN = new Set(['session_id', 'next_cursor', 'error_id', 'links', 'avatar_url', 'sources'])
/** Of what else the `id` is one of the database. */
const OWN_IDS = /errors|explain/

/** Events of one moment are in the order of their ids. */
const inOrder = (list: unknown[]) =>
  list.every(each => typeof each === 'object' && each !== null && 'event_name' in each)
    ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    : list

function comparable(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return inOrder(value.map(each => comparable(each, path)))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(
    ([name]) => !OWN.has(name) && !(name === 'id' && OWN_IDS.test(path)),
  )
  return Object.fromEntries(fields.map(([name, field]) => [name, comparable(field, path)]))
}

const queryOf = (input: object): string =>
  new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

/** Returns the answers of all reads of a site by path. */
async function answersOf(stats: Pick<Stats, 'read'>, site: StatsSite) {
  const sessions = await stats.read(site, `/stats/sessions?visitor_id=${ADA}&from=${DAY}&to=${DAY}`)
  const errors = await stats.read(site, `/stats/errors?from=${DAY}&to=${DAY}`)
  const names: Record<string, string> = {
    session: sessions.data[0].session_id,
    error: errors.data[0].id,
    person: ADA,
  }
  const answers: Record<string, unknown> = {}
  for (const { path, input } of [
    ...READS,
    { path: '/payments', input: { per_page: 100 } },
    { path: '/segments', input: {} },
    { path: '/overview', input: { from: '2026-01-01', to: '2026-03-18', imported: 'true' } },
    {
      path: '/stats/breakdown',
      input: { from: '2026-01-01', to: '2026-01-31', dimension: 'path', imported: 'true' },
    },
  ]) {
    const query = queryOf(input)
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name]!)
    answers[`${path}?${query}`] = comparable(await stats.read(site, `${filled}?${query}`), path)
  }
  return answers
}

/** Rows of money without the numbers that a database gives. */
async function moneyRows(db: Db, { id }: StatsSite) {
  const rows: Record<string, object[]> = {}
  for (const [table, order] of [
    ['customers', 'customer, currency'],
    ['mrr_changes', 'customer, currency, at'],
    ['erased_payers', 'digest'],
    ['processor_facts', 'event_id, kind, object_id'],
    ['lifecycle_events', 'subscription_id, name, key'],
    ['subscriptions', 'subscription_id'],
    ['awaiting_visitors', 'visitor_id, target, at'],
    ['price_dependents', 'object_id, holder_id'],
    ['payment_aliases', 'transaction_id'],
    ['payments', 'id'],
  ]) {
    const found = await db.unsafe<{ row: Record<string, unknown> }[]>(
      `select to_jsonb(t) as row from ${table} as t
      where site_no = (select site_no from sites where id = $1) order by ${order}`,
      [id],
    )
    rows[table!] = found.map(({ row: { site_no, first_visitor_no, first_session_no, ...rest } }) =>
      table === 'awaiting_visitors' && rest.target === 'events' ? { ...rest, id: null } : rest,
    )
  }
  return rows
}

describe('a whole team as one archive', () => {
  test('restored into another database, every read gives the same', async () => {
    const { team_id, sites } = await restored(archive, { teamId: target.owner.teamId })
    expect({ team_id, sites }).toEqual({
      team_id: target.owner.teamId,
      sites: [{ site_id: source.site.id, domain: expect.any(String), hits: expect.any(Number) }],
    })
    const { site } = source
    // Keys of processors do not come along.
    const body = { provider: 'stripe', webhook_secret: SECRET }
    const connected = await target.api.call('PUT', `${site.path}/processor`, {
      token: target.owner.token,
      body,
    })
    expect(connected.status).toBe(200)
    expect(await moneyRows(target.api.services.db, site)).toEqual(
      await moneyRows(source.api.services.db, site),
    )
    expect(await answersOf(target, site)).toEqual(await answersOf(source, site))
    expect(readdirSync(folder)).toEqual([])
  }, 120_000)

  test('restored again, nothing changes', async () => {
    const before = await answersOf(target, source.site)
    const { sites } = await restored(archive, { teamId: target.owner.teamId })
    expect(sites).toEqual([expect.objectContaining({ hits: null })])
    expect(await answersOf(target, source.site)).toEqual(before)
  }, 60_000)

  test('another team does not get a site that the database has', async () => {
    await expect(restored(archive)).rejects.toThrow(/Another team of this database has the site/)
  })

  test('the archive is the same in parts of any size, and has users without anything of their login', async () => {
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

  test('after the move, a payment that is deleted takes its events along', async () => {
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

  test('a site with kept numbers is refused before anything is written', async () => {
    const { db } = source.api.services
    await db`update sites set details_from = ${`${DAY}T00:00:00Z`} where id = ${source.site.id}`
    await expect(exported()).rejects.toThrow(/has days whose details are gone/)
    await db`update sites set details_from = null where id = ${source.site.id}`

    // So is one that is deleted while it is read.
    const given = { teamId: source.owner.teamId, productVersion: '1.0.0', now: NOW, folder }
    const onFile = () => void db`update sites set deleted_at = now() where id = ${source.site.id}`.execute()
    await expect(collect(exportTeam(db, { ...given, onFile }))).rejects.toThrow(/was deleted while/)
    await db`update sites set deleted_at = null where id = ${source.site.id}`
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a restoration that was stopped', () => {
  let other: Stats
  beforeAll(async () => {
    other = await startStats(undefined, await testDatabase())
  })
  afterAll(() => other.close())

  async function restoring(options: RestoreOptions, more: object = {}) {
    const services = { ...(await importServices(other.api.services)), batchHits: 2, ...more }
    return restoreTeam(services, await openArchive(fileOf(archive, 'team.tar', 100_000)), options)
  }

  test('shows nothing of the site, and goes on when it is run again', async () => {
    const options = { teamId: other.owner.teamId }
    let batches = 0
    const requireFreeDisk = async () => {
      if (++batches > 2) throw new Error('stopped')
    }
    await expect(restoring(options, { requireFreeDisk })).rejects.toThrow('stopped')
    expect((await other.ask(`${source.site.path}`)).status).toBe(404)
    expect((await other.ask('/api/sites')).text).not.toContain(source.site.id)

    const { sites } = await restoring(options)
    expect(sites[0]!.hits).toBeGreaterThan(0)
    const { db } = other.api.services
    expect(await moneyRows(db, source.site)).toEqual(await moneyRows(source.api.services.db, source.site))
    expect(await db`select from teams where name like 'Import of %'`).toEqual([])
  }, 60_000)

  test('a site that was deleted and purged may be restored again; a domain that is taken is refused; so is a part of another archive', async () => {
    const { db } = other.api.services
    const { id } = source.site
    const [{ domain }] = (await db`select domain from sites where id = ${id}`) as unknown as [
      { domain: string },
    ]
    // What a purge does with the rows of the tables, as far as ids are unique in the database.
    for (const table of [
      'payments',
      'payment_aliases',
      'goals',
      'funnels',
      'segments',
      'annotations',
      'totals_imports',
    ]) {
      await db.unsafe(`delete from ${table} where site_no = (select site_no from sites where id = $1)`, [id])
    }
    await db`update sites set deleted_at = now(), purged_at = now() where id = ${id}`
    const [taken] = await db<{ id: string }[]>`
      insert into sites (team_id, domain) values (${other.owner.teamId}, ${domain}) returning id`
    const options = { teamId: other.owner.teamId }
    await expect(restoring(options)).rejects.toThrow(/a site with the same domain/)
    expect((await other.ask(source.site.path)).status).toBe(404)
    await db`delete from sites where id = ${taken!.id}`

    // The part that is there belongs to an archive that is not used any more.
    const newer = await openArchive(fileOf(await exported(200), 'team.tar', 100_000))
    const services = await importServices(other.api.services)
    await expect(restoreTeam(services, newer, options)).rejects.toThrow(/is being deleted/)
    expect(await db`select deleted_at is not null as gone from sites where id = ${id}`).toEqual([
      { gone: true },
    ])
    expect(await db`select deleted_at is null as live from teams where restores_to is not null`).toEqual([
      { live: false },
    ])
    await db`update sites set deleted_at = null where id = ${id}`
    await db`update teams set deleted_at = null where restores_to is not null`
    await restoring(options)
    expect((await other.ask(source.site.path)).status).toBe(200)
  }, 60_000)
})
