import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Converter, HitLine } from '../../../src/outgoing/transfer/converters/converter.ts'
import { ga4 } from '../../../src/outgoing/transfer/converters/ga4/ga4.ts'
import { matomo } from '../../../src/outgoing/transfer/converters/matomo/matomo.ts'
import { plausible } from '../../../src/outgoing/transfer/converters/plausible.ts'
import { posthog } from '../../../src/outgoing/transfer/converters/posthog/posthog.ts'
import { convert } from './converters/converted.ts'
import { readTables } from './totals/read-tables.ts'

// The samples of docs/import-formats.md are files that work: documented-samples.txt says what each column becomes.

const page = readFileSync('docs/import-formats.md', 'utf8')

function samplesOf(heading: string): string[] {
  const section = page.split(/^## /m).find(text => text.startsWith(`${heading}\n`))!
  return [...section.matchAll(/^```(?:jsonl|csv)\n(.*?)^```$/gms)].map(([, sample]) => sample!)
}

/** A hit in lines: its endpoint and time, then its fields. The id of the visitor follows from the sample, and is left out. */
function linesOf({ endpoint, timestamp, location, body: { visitor_id: _, ...body } }: HitLine): string {
  const fields = Object.entries({ ...location, ...body }).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ])
  return [[endpoint, timestamp], ...fields].map(([name, value]) => `  ${name} ${value}`).join('\n')
}

const SAMPLES: [heading: string, converter: Converter][] = [
  ['Plausible Community Edition', plausible],
  ['Google Analytics 4', ga4],
  ['Matomo', matomo],
  ['PostHog', posthog],
]

test('import formats: each sample of hits is a file that is wholly carried over', async () => {
  const texts: string[] = []
  for (const [heading, converter] of SAMPLES) {
    const [sample, ...more] = samplesOf(heading)
    expect(more).toEqual([])
    const { hits, left } = await convert(converter, sample!)
    expect(left).toEqual([])
    const visitors = new Set(hits.map(({ body }) => body.visitor_id))
    expect([visitors.size, visitors.has(undefined)]).toEqual([1, false])
    texts.push(`${heading}\n\n${hits.map(linesOf).join('\n\n')}\n`)
  }
  await expect(texts.join('\n')).toMatchFileSnapshot('documented-samples.txt')
})

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
