import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Converter } from '../../src/transfer/converters/converter.ts'
import { ga4 } from '../../src/transfer/converters/ga4/ga4.ts'
import { matomo } from '../../src/transfer/converters/matomo/matomo.ts'
import { plausible } from '../../src/transfer/converters/plausible.ts'
import { posthog } from '../../src/transfer/converters/posthog/posthog.ts'
import { convert } from './converters/converted.ts'
import { readTables } from './totals/read-tables.ts'

// The samples of docs/import-formats.md are files that work: what each column becomes.

const page = readFileSync('docs/import-formats.md', 'utf8')

function samplesOf(heading: string): string[] {
  const section = page.split(/^## /m).find(text => text.startsWith(`${heading}\n`))!
  return [...section.matchAll(/^```(?:jsonl|csv)\n(.*?)^```$/gms)].map(([, sample]) => sample!)
}

const AT = '2024-03-30T10:00:00.000Z'
const LATER = '2024-03-30T10:00:30.000Z'

test.each<[string, Converter, object[]]>([
  [
    'Plausible Community Edition',
    plausible,
    [
      {
        ...{
          endpoint: 'collect',
          timestamp: AT,
          location: { country: 'AT', region: 'AT-9', city: 'Vienna' },
        },
        body: {
          ...{ hostname: 'example.com', url: { path: '/pricing?utm_source=newsletter' } },
          ...{
            referrer: 'https://www.google.com/',
            browser: { name: 'Chrome' },
            os: 'macOS',
            device: 'desktop',
          },
        },
      },
      { endpoint: 'engage', timestamp: LATER, body: { url: { path: '/pricing' }, time: 30_000, sd: 80 } },
      { endpoint: 'event', body: { name: 'Signup', url: { path: '/pricing?utm_source=newsletter' } } },
    ],
  ],
  [
    'Google Analytics 4',
    ga4,
    [
      {
        ...{ endpoint: 'collect', timestamp: AT, location: { country: 'AT', city: 'Vienna' } },
        body: {
          ...{
            hostname: 'example.com',
            url: { path: '/pricing?plan=a', title: 'Pricing' },
            language: 'en-us',
          },
          ...{ referrer: 'https://www.google.com/', browser: { name: 'Chrome' }, device: 'desktop' },
        },
      },
      {
        ...{ endpoint: 'event', timestamp: LATER },
        body: { name: 'purchase', url: { path: '/thanks' }, revenue: { amount: 49.99, currency: 'EUR' } },
      },
    ],
  ],
  [
    'Matomo',
    matomo,
    [
      {
        ...{ endpoint: 'collect', timestamp: AT, location: { country: 'AT', city: 'Wien' } },
        body: {
          ...{ hostname: 'example.com', url: { path: '/pricing', title: 'Pricing' }, language: 'de-at' },
          ...{ referrer: 'https://www.google.com/', screen: { width: 360, height: 800 } },
          ...{ os: 'Android', browser: { name: 'Chrome' } },
        },
      },
      {
        endpoint: 'engage',
        timestamp: '2024-03-30T10:00:29.999Z',
        body: { url: { path: '/pricing' }, time: 30_000 },
      },
      {
        endpoint: 'event',
        timestamp: LATER,
        body: { name: 'Play', properties: { category: 'Movie', name: 'Alien' } },
      },
    ],
  ],
  [
    'PostHog',
    posthog,
    [
      {
        ...{
          endpoint: 'collect',
          timestamp: AT,
          location: { country: 'US', region: 'US-CA', city: 'Oakland' },
        },
        body: {
          ...{ hostname: 'example.com', url: { path: '/pricing?plan=a', title: 'Pricing' } },
          ...{ referrer: 'https://www.google.com/', screen: { width: 1920, height: 1080 }, os: 'Mac OS X' },
          ...{ browser: { name: 'Chrome', version: '125' }, device: 'desktop', properties: { plan: 'team' } },
        },
      },
      {
        ...{ endpoint: 'event', timestamp: LATER },
        body: { name: 'order paid', url: { path: '/thanks' }, revenue: { amount: 49.99, currency: 'EUR' } },
      },
    ],
  ],
])(
  'import formats: the sample of %s is a file that is wholly carried over',
  async (heading, converter, expected) => {
    const [sample, ...more] = samplesOf(heading)
    expect(more).toEqual([])
    const { hits, left } = await convert(converter, sample!)
    expect(left).toEqual([])
    expect(hits.filter(({ endpoint }) => endpoint !== 'identify')).toMatchObject(expected)
    const visitors = new Set(hits.map(({ body }) => body.visitor_id))
    expect([visitors.size, visitors.has(undefined)]).toEqual([1, false])
  },
)

test('import formats: the samples of Fathom are files with a table each', async () => {
  const [whole, pages] = samplesOf('Fathom')
  expect(await readTables('fathom', whole!)).toMatchObject({
    unknown: [],
    tables: [
      {
        numbers: ['pageviews', 'visitors', 'sessions', 'bounces', 'duration_seconds'],
        rows: [
          ['2024-01-01', 10, 4, 4, 2, 50],
          ['2024-01-02', 3, 2, 2, 2, 0],
        ],
        left: [],
      },
    ],
  })
  const { tables } = await readTables('fathom', pages!)
  expect(tables.map(({ dimensions, rows, left }) => ({ dimensions, rows, left }))).toMatchObject([
    { rows: [['2024-01-01', '/pricing', 9, 4]], left: [] },
  ])
})
