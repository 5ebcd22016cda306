import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importHits } from '../../../src/ingestion/import/import-hits.ts'
import { exportTeam } from '../../../src/transfer/archive/export-team.ts'
import { openArchive } from '../../../src/transfer/archive/open-archive.ts'
import { type RestoreOptions, restoreTeam } from '../../../src/transfer/archive/restore/restore-team.ts'
import { exportHits } from '../../../src/transfer/export/export-hits.ts'
import { NOW, type Revenue, startRevenue } from '../../contract/revenue-shop.ts'
import {
  ADA,
  DAY,
  dayOfHits,
  hit,
  type Stats,
  type StatsSite,
  startStats,
} from '../../contract/stats-site.ts'
import { testDatabase } from '../../support/database.ts'
import { importServices } from '../../support/import-services.ts'
import { collect, fileOf } from '../read/source.ts'
import { exactRows } from './answers.ts'

/** After the moment of the archive. */
const LATER = '2026-03-18T12:00:05Z'

let source: Revenue
let other: Stats
let site: StatsSite
let folder: string
let archive: Buffer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'analytics-archive-'))
  ;[source, other] = await Promise.all([startRevenue(), testDatabase().then(db => startStats(undefined, db))])
  site = await source.shop()
  await source.store(dayOfHits(site))
  await source.goal(site, { display_name: 'Pricing', match_type: 'page', match_value: '/pricing' })
  await source.pay(site, { visitor_id: ADA, timestamp: `${DAY}T09:30:00Z` })
  // One visit begins while the archive is written.
  await source.store([hit(site, LATER, { visitorId: ADA, url: '/later' })])
  archive = await exported(NOW)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await Promise.all([source.close(), other.close()])
})

/** Archives of two moments differ. */
const exported = async (now: string): Promise<Buffer> => {
  const given = { teamId: source.owner.teamId, productVersion: '1.0.0', now: new Date(now), folder }
  return Buffer.concat(await collect(exportTeam(source.api.services.db, given)))
}

describe('a restoration that was stopped', () => {
  async function restoring(options: RestoreOptions, more: object = {}) {
    const services = { ...(await importServices(other.api.services)), batchHits: 2, ...more }
    return restoreTeam(services, await openArchive(fileOf(archive, 'team.tar', 100_000)), options)
  }

  /** As `export:hits --from` and `hits:import` do. */
  async function importSince(moment: string): Promise<void> {
    const { siteNo } = site
    const [{ present }] = (await other.api.services.db`
      select site_no as present from sites where id = ${site.id}`) as unknown as [{ present: number }]
    const span = { siteNo, start: new Date(moment), end: new Date('2026-03-19T00:00:00Z'), isWhole: false }
    const lines = exportHits(source.api.services.db, { ...span, format: 'jsonl' })
    const target = { siteNo: present, siteId: site.id, timezone: 'UTC', trackingMode: 'cookie' } as const
    const services = { ...(await importServices(other.api.services)), now: () => span.end }
    const imported = await importHits(target, lines, services)
    expect(imported).toMatchObject({ accepted: 1, rejected: [] })
  }

  test('shows nothing of the site, and goes on when it is run again', async () => {
    const options = { teamId: other.owner.teamId }
    let batches = 0
    const requireFreeDisk = async () => {
      if (++batches > 2) throw new Error('stopped')
    }
    await expect(restoring(options, { requireFreeDisk })).rejects.toThrow('stopped')
    expect((await other.ask(site.path)).status).toBe(404)
    expect((await other.ask('/api/sites')).text).not.toContain(site.id)

    const { sites } = await restoring(options)
    expect(sites[0]!.hits).toBeGreaterThan(0)
    const { db } = other.api.services
    await importSince(NOW)
    expect(await exactRows(db, site)).toEqual(await exactRows(source.api.services.db, site))
    expect(await db`select from teams where name like 'Import of %'`).toEqual([])
  }, 60_000)

  test('a site that was deleted and purged may be restored again; a domain that is taken is refused; so is a part of another archive', async () => {
    const { db } = other.api.services
    const { id } = site
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
      'alert_rules',
      'imports',
    ]) {
      await db.unsafe(`delete from ${table} where site_no = (select site_no from sites where id = $1)`, [id])
    }
    await db`update sites set deleted_at = now(), purged_at = now() where id = ${id}`
    const [taken] = await db<{ id: string }[]>`
      insert into sites (team_id, domain) values (${other.owner.teamId}, ${domain}) returning id`
    const options = { teamId: other.owner.teamId }
    await expect(restoring(options)).rejects.toThrow(/a site with the same domain/)
    expect((await other.ask(site.path)).status).toBe(404)
    await db`delete from sites where id = ${taken!.id}`

    // The part that is there belongs to an archive that is not used any more.
    const newer = await openArchive(fileOf(await exported('2026-03-18T13:00:00Z'), 'team.tar', 100_000))
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
    expect((await other.ask(site.path)).status).toBe(200)
  }, 60_000)
})
