import { randomUUID } from 'node:crypto'
import { PNG } from 'pngjs'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { ofFile } from '../../../support/of-file.ts'
import { deliver, event, item, price, SECRET, subscription } from '../../../support/stripe.ts'
import type { Teammate } from '../../../support/teammates.ts'
import { addRecipient, newSite, type ReportSite, startWorld } from './world.ts'

const ALL = ['sources', 'pages', 'locations', 'goals', 'revenue']
/** The day before, in New York. */
const DAY = '2026-10-20'

const world = ofFile(() => startWorld('2026-10-20T12:00:00Z'))
/** A site with visits, a goal and money. */
let shop: { owner: Teammate; site: ReportSite }
let owner: Teammate
let site: ReportSite
beforeAll(async () => {
  owner = await world.person()
  site = await newSite(world, owner, 'America/New_York')
  await fill()
  shop = { owner, site }
})
beforeEach(async () => {
  world.server.mails.length = 0
  world.clock.now = new Date('2026-10-20T12:00:00Z')
  await world.api.services.db`delete from mail_recipients`
  owner = await world.person()
  site = await newSite(world, owner, 'America/New_York')
})

/** Sends the report of `DAY`. */
async function sent(body: object = {}) {
  const recipient = await addRecipient(owner, site, { sections: ALL, ...body })
  await world.run('2026-10-21T12:00:00Z')
  const [mail] = world.server.mails
  return { recipient, mail: mail!, text: mail!.text!, html: mail!.html as string }
}

/** Sends the report of the shop. */
const sentOfShop = (body?: object) => {
  ;({ owner, site } = shop)
  return sent(body)
}

const read = async (path: string) => (await owner.ask('GET', `${site.path}${path}from=${DAY}&to=${DAY}`)).body

/** The text of a figure: what stands behind its label. */
const figure = (text: string, label: string) => new RegExp(`^${label} +(.+)$`, 'm').exec(text)?.[1]

async function fill() {
  const [ada, ben] = [randomUUID(), randomUUID()]
  await site.hit('2026-10-19T15:00:00Z', ada, { url: '/' })
  // The day begins at 04:00 UTC.
  await site.hit('2026-10-20T03:59:59Z', randomUUID(), { url: '/late' })
  await site.hit('2026-10-20T04:00:00Z', ada, { url: '/pricing', referrer: 'https://news.ycombinator.com/' })
  await site.hit('2026-10-20T04:01:30Z', ada, { url: '/?utm_source=mail' })
  await site.hit('2026-10-21T03:59:59Z', ben, { url: '/pricing' })
  await owner.ask('POST', `${site.path}/goals`, { match_type: 'page', match_value: '/pricing' })
  await owner.ask('POST', `${site.path}/goals`, { match_type: 'page', match_value: '/never' })
  const payment = { currency: 'USD', visitor_id: ada }
  for (const [amount, day] of [
    [4_999, 20],
    [100_000, 20],
    [1_000, 19],
  ] as const) {
    const fields = { amount, transaction_id: randomUUID(), timestamp: `2026-10-${day}T11:30:00Z` }
    await owner.ask('POST', `${site.path}/payments`, { ...payment, ...fields })
  }
  await owner.ask('PUT', `${site.path}/processor`, { provider: 'stripe', webhook_secret: SECRET })
  const at = (time: string) => Date.parse(time) / 1000
  for (const [amount, time] of [
    [2_000, '2026-10-20T10:00:00Z'],
    [3_550, '2026-10-20T11:00:00Z'],
  ] as const) {
    const object = subscription({ id: `sub_${site.siteNo}`, customer: 'cus_1', items: [item(price(amount))] })
    const kind = amount === 2_000 ? 'created' : 'updated'
    const made = event(`customer.subscription.${kind}`, object, at(time))
    await deliver({ api: world.api, siteId: site.id }, made, { signedAt: world.clock.now.getTime() / 1000 })
  }
}

test('reports: every number of a mail is that of the API for the same day of the site', async () => {
  const { text, html, mail } = await sentOfShop()
  const overview = await read('/overview?')
  expect(overview).toMatchObject({ visitors: 2, pageviews: 3, revenue: 104_999, previous: { visitors: 2 } })
  expect(mail.subject).toBe(`${site.domain}: 2 visitors (20 October 2026)`)
  expect(figure(text, 'Unique visitors')).toBe('2 (0%)')
  expect(figure(text, 'Visits')).toContain(`${overview.sessions}`)
  expect(figure(text, 'Pageviews')).toBe('3 (up 50%)')
  expect(figure(text, 'Views per visit')).toContain(`${overview.views_per_visit}`)
  expect(figure(text, 'Bounce rate')).toContain(`${overview.bounce_rate}%`)
  expect(figure(text, 'Revenue')).toBe('$1,049.99 (×105)')
  expect(figure(text, 'MRR change')).toContain('+$35.50')
  const money = await read('/stats/money?')
  expect(money).toMatchObject({ mrr: 3_550, new_mrr: 2_000, expansion_mrr: 1_550, net_new_mrr: overview.mrr })
  expect(figure(text, 'MRR at the end')).toBe('$35.50')
  expect(figure(text, 'Expansion')).toBe('+$15.50')
  expect(figure(text, 'Churn')).toBeUndefined()
  expect(figure(text, 'Net new MRR')).toBe('+$35.50')
  for (const [dimension, title] of [
    ['path', 'Pages'],
    ['source', 'Sources'],
  ]) {
    const { data } = await read(`/stats/breakdown?dimension=${dimension}&`)
    const rows = data.map(
      ({ value, visitors, revenue }: { value: string; visitors: number; revenue: number }) =>
        `  ${visitors}, $${(revenue / 100).toLocaleString('en')}: \u2068${value}\u2069`,
    )
    expect(text).toContain(`${title} (Visitors, Revenue)\n${rows.join('\n')}\n`)
  }
  const goals: Record<string, { visitors: number; conversion_rate: number }> = Object.fromEntries(
    (await read('/stats/goals?')).map((goal: { display_name: string }) => [goal.display_name, goal]),
  )
  const { visitors, conversion_rate: rate } = goals['Visit /pricing']!
  expect([visitors, rate]).toEqual([2, 100])
  expect(text).toContain(`Goals (Visitors, Rate)\n  ${visitors}, ${rate}%: \u2068Visit /pricing\u2069\n`)
  expect(text).not.toContain('/never')
  for (const shown of ['$1,049.99', '+$35.50', 'Visit /pricing', 'Hacker News']) expect(html).toContain(shown)
  expect(text).toContain(`/sites/${site.id}?from=${DAY}&to=${DAY}`)
})

test('reports: without the section revenue there is no money in it, nor goals that payments convert', async () => {
  const { text, html } = await sentOfShop({ sections: ['sources', 'pages', 'locations', 'goals'] })
  for (const body of [text, html]) expect(body).not.toMatch(/\$|MRR|Revenue|payment/i)
  expect(text).toContain('Visit /pricing')
})

test('reports: what is not chosen is not there', async () => {
  const { text } = await sentOfShop({ sections: [] })
  for (const title of ['Pages (', 'Sources (', 'Countries (', 'Goals (']) expect(text).not.toContain(title)
})

test('reports: a mail has its pictures in itself, and refers to nothing that tells that it was read', async () => {
  const { mail } = await sentOfShop()
  const html = /<html[\s\S]*/.exec(mail.html as string)![0]
  const pictures = mail.attachments.filter(({ contentType }) => contentType === 'image/png')
  expect(pictures.map(({ cid }) => cid)).toEqual(['visitors', 'revenue'])
  for (const { content } of pictures) {
    const { width, data } = PNG.sync.read(content)
    expect(width).toBe(1_104)
    expect(data.some((value, index) => index % 4 === 3 && value > 200)).toBe(true)
  }
  const images = [...html.matchAll(/<img[^>]*>/g)].map(([tag]) => tag)
  expect(images).toHaveLength(2)
  // The parser of the test puts the attachments in their places.
  for (const tag of images) expect(tag).toMatch(/src="data:image\/png;base64,/)
  expect(html).not.toMatch(/<(script|iframe|link|object|form|video|audio|base)\b|url\(|@import|@font-face/i)
  expect(
    html.match(/https?:\/\/[^"<\s]+/g)!.every(url => url.startsWith(world.api.services.config.baseUrl)),
  ).toBe(true)
  expect(html).toMatch(/alt="Visitors? ?|alt="Unique visitors over time; at most 1"/)
})

test('reports: a mail has a stable id, and headers with which a mail program unsubscribes', async () => {
  const { mail, recipient, text } = await sent()
  expect(mail.messageId).toBe(`<report-${recipient.id}-daily-${DAY}@example.com>`)
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
  const list = mail.headers.get('list') as unknown as Record<string, { url?: string; name?: string }>
  const { baseUrl } = world.api.services.config
  expect(list.unsubscribe!.url).toMatch(
    new RegExp(`^${baseUrl}/mail/unsubscribe/${recipient.id}\\.[\\w-]{32}$`),
  )
  expect(mail.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
  expect(text).toContain(list.unsubscribe!.url)
})

const HOSTILE = [
  '<img src=x onerror=alert(1)><script>alert(2)</script>',
  `/${'x'.repeat(2_000)}`,
  'a\u202egnp.exe\u2066\u200f',
  'line\r\nBcc: eve@example.com\r\n\r\nbody',
  '"><style>*{display:none}</style>',
  '\u{1f600}'.repeat(500),
]

test('reports: names from hits break neither subject nor headers nor layout', async () => {
  await world.api.services
    .db`update sites set domain = ${`a.example\r\nBcc: eve@example.com\u202e`} where id = ${site.id}`
  for (const name of HOSTILE) {
    const fields = { url: `/${name}`.replace(/^\/\//, '/'), referrer: `https://${randomUUID()}.example/` }
    await site.hit('2026-10-20T15:00:00Z', randomUUID(), fields)
    const goal = { match_type: 'event', match_value: 'e', display_name: name }
    await owner.ask('POST', `${site.path}/goals`, goal)
  }
  await site.hit('2026-10-20T15:00:00Z', randomUUID(), { url: '/', type: 'event', name: 'e' })
  const { mail, text, html } = await sent()
  expect(mail.recipients).toEqual([owner.email])
  expect(mail.bcc).toBeUndefined()
  expect(mail.subject).toMatch(/^a\.example Bcc: eve@example\.com: \d+ visitors \(20 October 2026\)$/)
  const [head] = mail.raw.split('\r\n\r\n')
  expect(head).not.toMatch(/^bcc:/im)
  expect(html).not.toMatch(/<script|<img src=x|onerror=alert\(1\)>|<style>\*/)
  for (const body of [text.replace(/[\u2068\u2069]/g, ''), html]) {
    expect(body).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/)
    expect(body).not.toContain('x'.repeat(100))
  }
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThan(260)
})

test('reports: German mails have German words and numbers', async () => {
  const { mail, text, html } = await sentOfShop({ language: 'de' })
  expect(mail.subject).toBe(`${site.domain}: 2 Besucher (20. Oktober 2026)`)
  expect(figure(text, 'Umsatz')).toMatch(/^1\.049,99\s\$ \(×105\)$/)
  expect(text).toContain('Seiten (Besucher, Umsatz)')
  expect(html).toContain('<html lang="de">')
})

test('reports: a period without hits gets a short mail that says so', async () => {
  const { mail, text, html } = await sent()
  expect(mail.subject).toBe(`${site.domain}: no visits (20 October 2026)`)
  expect(text).toContain(`${site.domain} had no visits from 20 October 2026.`)
  expect(html).not.toContain('<img')
  expect(mail.attachments).toEqual([])
})

test('reports: the preview is the mail, and its page can load and run nothing', {
  tags: ['full'],
}, async () => {
  const { text, mail } = await sentOfShop()
  const query = 'frequency=daily&language=en&sections=pages,goals,sources,locations,revenue'
  const { status, body } = await owner.ask('GET', `${site.path}/reports/preview?${query}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ subject: mail.subject, from: DAY, to: DAY })
  expect(body.text.split('-- ')[0]).toBe(text.split('-- ')[0])
  const load = (query: string, headers: Record<string, string> = owner.headers) =>
    fetch(`${world.api.url}${site.path}/reports/preview.html?${query}`, { headers })
  const page = await load(query)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; .*frame-ancestors 'self'; sandbox/,
  )
  expect(await page.text()).toBe(body.html)
  expect(body.html).toContain('<img src="data:image/png;base64,')
  expect((await load('', {})).status).toBe(401)
  expect((await load('frequency=hourly')).status).toBe(422)
})
