import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ROW_KINDS } from '../../src/outgoing/transfer/export/schema.ts'
import { dictionary as english } from '../../src/web/text/languages/en.ts'
import { accessibilityProblems } from './audit-page.ts'
import { seededSite, TOO_SLOW } from './seeded-site.ts'
import { confirmed, dialogGone, fillDialog } from './signed-in-page.ts'
import { siteVisit } from './site-visit.ts'
import { fill, openWhole } from './visit.ts'

const all = siteVisit()

const open = async (part = '', page = all.page, of = all.site) => {
  await openWhole(page, `${all.visit.origin}/sites/${of.domain}/settings${part && `/${part}`}`)
  await page.waitForSelector('main h2')
}

const stored = () => all.read('')

test('settings: domain, time zone and currency are saved; the page follows its new address', async () => {
  const { visit, site, page, member } = all
  await open()
  await page.waitForSelector('select[name=timezone] option[value="Asia/Tokyo"]', { state: 'attached' })
  const domain = `${randomUUID()}.example`
  await fill(page, { domain: 'no domain' })
  await page.waitForSelector('text=must be a host name')
  await fill(page, { domain, timezone: 'Asia/Tokyo', currency: 'JPY' })
  await page.waitForURL(`${visit.origin}/sites/${domain}/settings`)
  expect(await stored()).toMatchObject({ domain, timezone: 'Asia/Tokyo', currency: 'JPY' })
  site.domain = domain
  await page.waitForSelector(`header >> text=${domain}`)
  expect(member.complaints).toEqual([])
})

test('settings: hits and everything else are downloaded', { tags: ['full'] }, async () => {
  const { site, page } = all
  await site.store([{ at: Date.now() - 60_000, visitor: randomUUID() }])
  await open('export')
  const save = async (press: () => Promise<void>) => {
    const [file] = await Promise.all([page.waitForEvent('download'), press()])
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }
  const hits = await save(() => page.click('main section:has(h2:text-is("Hits")) button:text-is("Download")'))
  expect(hits.name).toBe(`${site.domain}-hits.jsonl`)
  expect(JSON.parse(hits.text.split('\n')[0]!).endpoint).toBe('collect')
  await page.selectOption('select', 'csv')
  await page.fill('input[type=date] >> nth=0', '2026-03-01')
  await page.click('main section:has(h2:text-is("Hits")) button:text-is("Download")')
  await page.waitForSelector('text=/to is required/')
  const goals = await save(() => page.click('button:has-text("Goals: Download")'))
  expect(goals.name).toBe(`${site.domain}-goals.jsonl`)
  expect(Object.keys(english.exports.kinds).sort()).toEqual([...ROW_KINDS].sort())
  expect(await accessibilityProblems(page)).toEqual([])
})

test('settings: tracking mode and features are saved, with the options of replays', {
  tags: ['full'],
}, async () => {
  const { page } = all
  await open('tracking')
  await fill(page, {
    ...{ tracking_mode: 'cookie', track_errors: true, track_session_replay: true },
    ...{ replay_sample_percent: '25', replay_excluded_paths: 'account' },
  })
  await page.waitForSelector('text=must be a path that begins with /')
  await fill(page, { replay_excluded_paths: '/account/**\n/admin\n' })
  await page.waitForSelector('text=Saved')
  expect(await stored()).toMatchObject({
    tracking_mode: 'cookie',
    track_errors: true,
    track_web_vitals: false,
    track_session_replay: true,
    replay_sample_percent: 25,
    replay_excluded_paths: ['/account/**', '/admin'],
  })

  await page.click('text=Make a secret')
  const secret = await page.textContent('[role=status] pre')
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  await confirmed(page, 'text=Remove the secret', 'text=Identities need no signature.')
  expect(await all.read('/identify-secret')).toEqual({ identify_secret_set: false })
})

test('settings: a link is made with sections, a filter and a password, shown once, changed and revoked', async () => {
  const { visit, site, page } = all
  await open('sharing')
  await page.waitForSelector('text=No link yet')
  await page.click('text=New link')
  await page.uncheck('role=dialog >> role=checkbox[name="Errors"]')
  await page.check('role=dialog >> role=checkbox[name="Money"]')
  await page.click('text=Add a filter')
  await page.selectOption('role=dialog >> role=combobox[name="Filter by …"]', 'path')
  await page.fill('role=dialog >> input[aria-label="Search values"]', '/blog')
  await page.keyboard.press('Enter')
  await page.click('role=dialog >> role=button[name="Apply"]')
  await fillDialog(page, { name: 'For the agency', password: 'short' })
  await page.waitForSelector('role=dialog >> text=characters')
  await fillDialog(page, { password: 'open sesame please', expires: '2099-12-31' })
  await page.waitForSelector('role=dialog[name="The link is ready"]')
  const [link, frame] = await page.locator('[role=dialog] pre').allTextContents()
  expect(frame).toContain(`<iframe src="${link!.replace('/share/', '/embed/')}"`)
  await page.keyboard.press('Escape')

  const [share] = await all.read('/shares')
  const filters = { path: { is: ['/blog'] } }
  expect(share).toMatchObject({ name: 'For the agency', has_password: true, filters })
  expect(share.sections).toContain('revenue')
  expect(share.sections).not.toContain('errors')
  await page.waitForSelector('text=Page is')
  await page.waitForSelector('text=31 Dec 2099')

  await page.click('role=button[name="Edit"]')
  await page.check('role=dialog >> text=Without a password from now on')
  await page.check('role=dialog >> text=Readers may export lists')
  await fillDialog(page)
  await dialogGone(page)
  expect(await all.read('/shares')).toMatchObject([{ has_password: false, may_export: true }])
  await confirmed(page, 'role=button[name="Revoke"]', 'text=No link yet')

  await page.check('text=Everybody may see the numbers of this site')
  await page.waitForSelector(`text=${visit.origin}/share/${site.id}`)
  expect((await stored()).is_public).toBe(true)
})

test('settings: segments are renamed, shown to the team and deleted', { tags: ['full'] }, async () => {
  const { site, page } = all
  await site.call('POST', '/segments', { name: 'Readers', filters: { path: { starts_with: '/blog' } } })
  await open('segments')
  await page.waitForSelector('text=Page starts with')
  await page.click('role=button[name="Edit"]')
  await fillDialog(page, { name: 'Readers of the blog', visibility: 'site' })
  await page.waitForSelector('text=Readers of the blog')
  expect(await all.read('/segments')).toMatchObject([{ visibility: 'site' }])
  await confirmed(page, 'role=button[name="Delete"]', 'text=No segment yet')
})

test('settings: notes are added, changed and deleted', { tags: ['full'] }, async () => {
  const { page } = all
  await open('notes')
  await page.waitForSelector('text=No note yet')
  await page.click('role=button[name="Add"]')
  await fillDialog(page, { text: 'New pricing', starts_at: '2026-03-15', ends_at: '2026-03-14' })
  await page.waitForSelector('text=must not be earlier than starts_at')
  await fillDialog(page, { ends_at: '2026-03-16' })
  await page.waitForSelector('li >> text=New pricing')
  await page.click('role=button[name="Edit"]')
  await fillDialog(page, { ends_at: '' })
  await page.waitForSelector('li >> text=15 Mar 2026')
  expect((await all.read('/annotations')).data).toMatchObject([
    { text: 'New pricing', starts_at: '2026-03-15', ends_at: null },
  ])
  await confirmed(page, 'role=button[name="Delete"]', 'text=No note yet')
})

test('settings: details are kept for months or for ever; numbers of days without details are deleted once the domain was typed', {
  tags: ['full'],
}, async () => {
  const { visit, site, page } = all
  await open('data')
  await page.fill('input[name=months]', '25')
  await page.click('text=Save')
  await page.waitForSelector('text=Saved')
  expect((await stored()).retention_months).toBe(25)
  await page.fill('input[name=months]', '')
  await page.click('text=Save')
  await page.waitForSelector('text=Saved')
  expect((await stored()).retention_months).toBeNull()
  expect(await page.$('text=Numbers of old days')).toBeNull()

  await visit.api.services.db`update sites set details_from = '2026-02-01' where id = ${site.id}`
  await open('data')
  const deleteUpTo = async (day: string) => {
    await page.fill('input[type=date]', day)
    await page.click('role=button[name="Delete the numbers"]')
    await page.fill('role=dialog >> input', site.domain)
    await fillDialog(page)
  }
  await deleteUpTo('2026-03-01')
  await page.waitForSelector('role=dialog >> role=alert')
  await page.keyboard.press('Escape')
  await deleteUpTo('2026-01-15')
  await dialogGone(page)
  const [row] = await visit.api.services.db`select history_from as "from" from sites where id = ${site.id}`
  expect(row!.from).not.toBeNull()
  expect(await page.$('role=alert')).toBeNull()
})

test('settings: viewers read what they may, and members do not delete; a part that takes too long says so', {
  tags: ['full'],
}, async () => {
  const { visit, site, member, page } = all
  await page.route('**/trpc/shares.list', route => route.fulfill(TOO_SLOW))
  await open('sharing')
  await page.waitForSelector('text=This takes too long')
  await page.unroute('**/trpc/shares.list')
  const { teamId } = member.login
  const viewer = await visit.member({ teamId, role: 'viewer' })
  await open('', viewer.page)
  const nav = 'main nav'
  expect(await viewer.page.textContent(nav)).not.toMatch(/Sharing|Delete/)
  expect(await viewer.page.isDisabled('input[name=domain]')).toBe(true)
  expect(await viewer.page.$('text=Save')).toBeNull()
  await openWhole(viewer.page, `${visit.origin}/sites/${site.domain}/settings/danger`)
  await viewer.page.waitForSelector('text=This page does not exist')
  const other = await visit.member({ teamId, role: 'member' })
  await open('tracking', other.page)
  expect(await other.page.textContent(nav)).toMatch(/Sharing/)
  expect(await other.page.textContent(nav)).not.toMatch(/Delete/)
  expect(await other.page.$('text=Signed identities')).toBeNull()
  await Promise.all([viewer, other].map(({ context }) => context.close()))
})

test('settings: Stripe is connected step by step, and disconnected', { tags: ['full'] }, async () => {
  const { visit, site, page, member } = all
  await openWhole(page, `${visit.origin}/sites/${site.domain}/connect-stripe`)
  await page.waitForSelector('text=Paste the secrets')
  expect(await page.textContent('pre')).toBe(`${visit.origin}/api/processor/webhook/${site.id}`)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.fill('input[name=webhook_secret]', 'whsec_secret')
  await page.click('role=button[name="Connect"]')
  await page.waitForSelector('text=Connected since')
  expect(await accessibilityProblems(page)).toEqual([])
  const { body } = await site.call('GET', '/processor')
  expect(await page.textContent('pre')).toBe(body.webhook_url)
  await confirmed(page, 'role=button[name="Disconnect"]', 'text=Paste the secrets')
  expect((await site.call('GET', '/processor')).status).toBe(404)
  expect(member.complaints).toEqual([])
})

test('settings: a site is deleted once its domain was typed', async () => {
  const { visit, member, page } = all
  const site = await seededSite(visit, member)
  await open('danger', page, site)
  await page.click('main section button')
  expect(await page.isDisabled('role=dialog >> button[type=submit]')).toBe(true)
  await page.fill('role=dialog >> input', site.domain)
  await fillDialog(page)
  await page.waitForURL(`${visit.origin}/`)
  expect((await site.call('GET', '')).status).toBe(404)
})
