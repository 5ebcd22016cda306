import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { projectRoot } from '../../src/config.ts'
import { startDatabase } from '../../src/embedded/database.ts'
import { connectDb, type Db } from '../../src/infra/db.ts'
import { silentLog } from '../support/log.ts'
import { startPrimary } from '../support/primary.ts'
import { freePort } from '../support/service.ts'

/** What the first release brought, by SHA-256: a migration that was released never changes. */
const FIRST_RELEASE = {
  '0001_accounts.sql': '3a7cbbeaa4a513a4105f3897add6c836bb9863f564682d21671e7b208e1a5679',
  '0002_hits.sql': '3ee0f324ba413f656dc86273605b6cbfbe1ac30a304e3631f3a7b924f17f3283',
  '0003_aggregates.sql': 'd22b5f6f907928b5f0d8320868f9dc867af31ba63c40ac24ac451f82d1557ace',
  '0004_goals.sql': 'f016d5f9b1f7fc932c56f47b4ba403f28ed94dca344d6fb31ad0ea02630590e1',
  '0005_revenue.sql': '0f17980505bcdbd1a3a561cf19e17ba3da3a7dccd8add7af13424cc81c4fea93',
}

const folder = join(projectRoot, 'sql', 'migrations')
const dataDir = mkdtempSync(join(tmpdir(), 'analytics-upgrade-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

test('the migrations of the first release are as they were', () => {
  const present = Object.keys(FIRST_RELEASE).map(name => [
    name,
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex'),
  ])
  expect(Object.fromEntries(present)).toEqual(FIRST_RELEASE)
})

/** A data folder as the first release left it: its schema, a site with a visit of two pages, an owner's token. */
async function makeFirstRelease(): Promise<string> {
  const database = await startDatabase({ dataDir, log: silentLog })
  const db = connectDb(database.url, { max: 1, name: 'test' })
  await db`create table migrations (name text primary key, applied_at timestamptz not null default now())`
  for (const name of Object.keys(FIRST_RELEASE)) {
    await db.unsafe(readFileSync(join(folder, name), 'utf8'))
    await db`insert into migrations (name) values (${name})`
  }
  const token = `wa_${'A'.repeat(30)}0uCPlr`
  await fill(db, token)
  await db.end()
  await database.close()
  return token
}

async function fill(db: Db, token: string) {
  const hash = createHash('sha256').update(token).digest()
  const [team] = await db`insert into teams (name, plan) values ('Old', 'active') returning id`
  const [user] =
    await db`insert into users (team_id, email, role) values (${team!.id}, 'old@example.com', 'owner') returning id`
  await db`insert into tokens (team_id, user_id, name, hash) values (${team!.id}, ${user!.id}, 'old', ${hash})`
  const [site] = await db`
    insert into sites (team_id, domain, first_event_at) values (${team!.id}, 'old.example', '2026-03-01 10:00+00')
    returning site_no as no`
  const empty = { referrer: '', source: 'Direct / None', channel: 'Direct', utm_source: '', utm_medium: '' }
  const dimensions = {
    ...empty,
    utm_campaign: '',
    utm_content: '',
    utm_term: '',
    browser: 'Firefox',
    browser_version: '1',
    os: 'Linux',
    os_version: '',
    size: 'desktop',
    country: '',
    region: '',
    city: '',
    language: '',
    entry_path: '/',
    hostname: 'old.example',
  }
  await db`insert into visitors (visitor_no, site_no, id, first_seen_at, session_count, newest_session_at)
    values (nextval('visitor_numbers'), ${site!.no}, gen_random_uuid(), '2026-03-01 10:00+00', 1, '2026-03-01 10:00+00')`
  await db`insert into sessions ${db({
    ...dimensions,
    site_no: site!.no,
    session_no: 1,
    visitor_no: 1,
    id: '00000000-0000-7000-8000-000000000001',
    started_at: '2026-03-01 10:00+00',
    first_at: '2026-03-01 10:00+00',
    last_at: '2026-03-01 10:01+00',
    duration_ms: 60_000,
    pageviews: 2,
    events: 0,
    visit_count: 1,
    user_id: '',
  })}`
  for (const minute of ['10:00', '10:01']) {
    await db`insert into events ${db({
      ...dimensions,
      site_no: site!.no,
      at: `2026-03-01 ${minute}+00`,
      id: `00000000-0000-7000-8000-0000000000${minute.slice(3)}`,
      type: 'pageview',
      name: '',
      visitor_no: 1,
      session_no: 1,
      session_at: '2026-03-01 10:00+00',
      path: '/',
      url: '/',
      title: '',
    })}`
  }
}

test('a data folder of the first release opens with this one, and counts what it counted', async () => {
  const token = await makeFirstRelease()
  const primary = startPrimary({ PORT: String(await freePort()), DATA_DIR: dataDir })
  await primary.ready()
  const answer = await fetch(`${primary.url}/api/sites/old.example/overview?from=2026-03-01&to=2026-03-01`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  expect(await answer.json()).toMatchObject({
    pageviews: 2,
    visitors: 1,
    sessions: 1,
    avg_session_seconds: 60,
  })
  primary.kill('SIGTERM')
  expect(await primary.exited).toBe(0)
  expect(readdirSync(folder).length).toBeGreaterThan(Object.keys(FIRST_RELEASE).length)
}, 90_000)
