import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isCrawler } from '../../../src/ingestion/stages/crawler.ts'
import { enrich } from '../../../src/ingestion/stages/index.ts'
import { remember } from '../../../src/ingestion/stages/remember.ts'
import { EVENT_TYPES } from '../../../src/platform/dimensions/event-types.ts'
import { runs } from '../../support/runs.ts'
import { cpuOf } from '../../support/within.ts'
import { hit } from './hit.ts'

const pieces = [
  ...['http://', 'https://', 'android-app://', 'www.', 'google.', 'com', 'utm_source', '.', '/', '?', '#'],
  ...['&', '=', '%', '%00', '%ff', '\ud800', '\0', ':', '@', '[', ']'],
]
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
    maxLength: 50,
  }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map(parts => parts.join('')),
)
const optional = {
  ...{ url: text, referrer: text, userAgent: text, title: text },
  ...{ browser: text, browserVersion: text, os: text, osVersion: text },
  screenWidth: fc.nat(65_535),
  error: fc.record({ name: text, message: text, stack: text }, { requiredKeys: [] }),
}
const anyHit = fc
  .record(
    {
      hostname: text,
      siteId: fc.uuid(),
      type: fc.constantFrom(...EVENT_TYPES, 'engagement', 'identify'),
      ...optional,
    },
    { requiredKeys: ['hostname', 'siteId', 'type'] },
  )
  .map(hit)

const channels = new Set([
  ...['Cross-network', 'Paid Shopping', 'Paid Search', 'Paid Social', 'Paid Video', 'Display', 'Paid Other'],
  ...['Organic Shopping', 'Organic Social', 'Organic Video', 'AI Assistants', 'Organic Search', 'Email'],
  ...['Affiliates', 'Audio', 'SMS', 'Mobile Push Notifications', 'Referral', 'Direct'],
])

test('enrich: random texts fill every field and never throw', () => {
  fc.assert(
    fc.property(anyHit, given => {
      const result = enrich(given)
      expect(result).toMatchObject({ id: given.id, hostname: given.hostname })
      expect(channels).toContain(result.channel)
      expect(result.source).not.toBe('')
      expect(result.path.startsWith('/')).toBe(given.url !== undefined)
      expect(result.referrerPage).not.toMatch(/[?#]/)
      expect(result.utmSource).not.toContain('\0')
      expect(['desktop', 'mobile', 'tablet']).toContain(result.size)
      expect(result.errorId !== undefined).toBe(given.type === 'error')
      expect(typeof isCrawler(given.userAgent)).toBe('boolean')
    }),
    { numRuns: runs(2_000) },
  )
})

test('enrich: it gives the same result twice and leaves the hit unchanged', () => {
  fc.assert(
    fc.property(anyHit, given => {
      const before = structuredClone(given)
      expect(enrich(given)).toEqual(enrich(given))
      expect(given).toEqual(before)
    }),
  )
})

test('enrich: a hit gives the same result after its JSON round trip through the queue', () => {
  const given = hit({ url: '/a?utm_source=b', referrer: 'https://t.co/c', userAgent: 'curl/8' })
  expect(enrich(JSON.parse(JSON.stringify(given)))).toEqual(enrich(given))
})

test('enrich: adversarial user agents and hosts take less than a second', async () => {
  const userAgents = [
    ...['Mozilla/5.0 (', 'a/1.', '/', 'Windows NT ', 'Mac OS X 1_', 'Android 1.', '1 '],
    ...['(compatible; ', '@a-'],
  ]
  const read = (piece: string) => {
    const userAgent = piece.repeat(20_000 / piece.length)
    const referrer = `https://${'a.'.repeat(1_000)}com/`
    enrich(hit({ userAgent, referrer, url: `/?${'utm_source=&'.repeat(170)}` }))
    isCrawler(`Mozilla/5.0 ${userAgent}`)
    isCrawler(userAgent)
  }
  expect(await cpuOf(() => userAgents.forEach(read))).toBeLessThan(1_000)
})

test('remember: recently used entries are kept, and the least recently used one is dropped', () => {
  const computed: string[] = []
  const recall = remember(3, key => {
    computed.push(key)
    return key.toUpperCase()
  })
  const keys = ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'b']
  expect(keys.map(recall)).toEqual(keys.map(key => key.toUpperCase()))
  expect(computed).toEqual(['a', 'b', 'c', 'd', 'b'])
})
