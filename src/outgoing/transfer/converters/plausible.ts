import type { CsvItem } from '../read/csv.ts'
import type { JsonItem } from '../read/json-lines.ts'
import { filesIn } from '../read/packed-files.ts'
import { readTime } from '../read/times.ts'
import type { SourceFile } from '../source-file.ts'
import type { Converted, Converter, ConvertOptions } from './converter.ts'
import { captureOf, fileOf } from './fields/captures.ts'
import { readDevice } from './fields/device.ts'
import { customEvent, engagement, pageview, readName, readReferrer, type Sender } from './fields/lines.ts'
import { arrayIn, readObjects } from './fields/objects.ts'
import { readHostname, readPage, type Tags, UTM_NAMES, withTags } from './fields/page.ts'
import { readPlace } from './fields/place.ts'
import { readProperties } from './fields/properties.ts'
import { convertEach } from './fields/row-outcome.ts'
import { readRows } from './fields/rows.ts'
import { asSentence, plainNumber, plainText, Texts } from './fields/texts.ts'
import { NO_TIME, validTime } from './fields/times.ts'
import { createWebsiteFilter } from './fields/websites.ts'
import { visitorIdOf } from './visitor-id.ts'

const FILE =
  'the table events_v2 of the ClickHouse database of Plausible Community Edition, as CSVWithNames or JSONEachRow'

const COLUMNS = [['timestamp'], ['name'], ['user_id'], ['pathname']] as const

/** A row of either format: texts in CSV, values of JSON else. */
type Row = Record<string, unknown>

/**
 * Plausible's table of events.
 * @see https://github.com/plausible/analytics, priv/ingest_repo/migrations
 */
export const plausible: Converter = {
  title: 'Plausible CE (events)',
  file: asSentence(FILE),
  notes: [
    'Plausible forgets a visitor every day: each day has visitors of its own. A visit over midnight UTC becomes two.',
    'Times have whole seconds. Titles, screens, languages and queries other than UTM tags are not in the table.',
    'The referrer and the UTM tags are those of the visit, and stand at all its hits. A source that came from ref or source, without referrer, becomes the tag ref.',
    'Of a click id (gclid, msclkid) only its presence is known: the page gets the tag with the value unknown.',
    'Cities have names only if the column city_name was selected, too (see the query).',
    'Engaged time is there from the version on that measures it; before that, pageleave events have the scroll depth at most.',
  ],
  async *convert(file, options) {
    const texts = new Texts()
    const sites = createWebsiteFilter(options.website)
    const items: AsyncIterable<CsvItem | JsonItem> = (await isJson(file))
      ? readObjects(file, row => COLUMNS.every(([name]) => name! in row), FILE)
      : readRows(file, COLUMNS, FILE)
    yield* convertEach(items, texts, item => {
      const row: Row = 'row' in item ? item.row : item.value
      return [
        sites.isWanted(plainText(row.site_id))
          ? convertRow(row, options, texts)
          : { left: 'another website' },
      ]
    })
    sites.check()
  },
}

async function isJson(file: SourceFile): Promise<boolean> {
  const [first] = await filesIn(file)
  if (!first) return false
  for await (const chunk of first.read()) return /^\uFEFF?\s*[[{]/.test(chunk.toString('utf8', 0, 1_000))
  return false
}

function convertRow(row: Row, options: ConvertOptions, texts: Texts): Converted {
  const at = validTime(readTime(plainText(row.timestamp), 'UTC'))
  if (at === undefined) return { left: NO_TIME }
  const user = plainText(row.user_id)
  if (!user || user === '0') return { left: 'no visitor' }
  const page = readPage(pathOf(row.pathname), texts)
  const host = readHostname(row.hostname, texts)
  const sender: Sender = {
    at,
    hostname: host && host !== '(none)' ? host : options.domain,
    visitorId: visitorIdOf('plausible', user),
    location: readPlace({
      country: row.country_code,
      region: row.subdivision1_code,
      city: row.city_name,
    }),
  }
  const name = readName(row.name, texts)
  if (!name) return { left: 'event without name' }
  if (name === 'engagement' || name === 'pageleave') return engagementOf(row, sender, page?.path)
  const device = readDevice(
    {
      browser: row.browser,
      browserVersion: row.browser_version,
      os: row.operating_system,
      osVersion: row.operating_system_version,
      kind: row.screen_size,
    },
    texts,
  )
  const path = page && withTags(page.path, tagsOf(row), texts)
  const referrer = referrerOf(row, texts)
  const given = propertiesOf(row)
  if (name === 'pageview') {
    return path
      ? pageview(sender, { path, referrer, device, properties: readProperties(given, texts) })
      : { left: 'no page' }
  }
  const captured = capturedAs(name, given)
  return customEvent(sender, {
    name: captured?.name ?? name,
    path,
    referrer,
    device,
    properties: readProperties(captured?.properties ?? given, texts),
    revenue: revenueOf(row),
  })
}

/** With its hash-based routing, Plausible keeps the fragment as part of the path; the tracker of this service makes it one. */
const pathOf = (value: unknown) => plainText(value)?.replace(/\/?#!?\/?/, '/')

/** Scroll depth is 255 when it is not known. */
function engagementOf(row: Row, sender: Sender, path: string | undefined): Converted {
  const depth = plainNumber(row.scroll_depth)
  const scroll = depth !== undefined && depth <= 100 ? depth : undefined
  const line = path && engagement(sender, { path, ms: plainNumber(row.engagement_time), scroll })
  return line || { left: 'engagement without time and scroll depth' }
}

function tagsOf(row: Row): Tags {
  const tags: Tags = Object.fromEntries(UTM_NAMES.map(name => [name, row[name]]))
  // Former versions wrote the click id as the medium.
  const click =
    plainText(row.click_id_param) ?? /^\((gclid|msclkid)\)$/.exec(plainText(row.utm_medium) ?? '')?.[1]
  if (click === 'gclid' || click === 'msclkid') tags[click] = 'unknown'
  if (plainText(row.utm_medium)?.startsWith('(')) tags.utm_medium = undefined
  if (!plainText(row.utm_source) && !plainText(row.referrer)) tags.ref = sourceOf(row)
  return tags
}

function sourceOf(row: Row): string | undefined {
  const source = plainText(row.referrer_source)
  return source === 'Direct / None' ? undefined : source
}

/** Stored without scheme. */
function referrerOf(row: Row, texts: Texts): string | undefined {
  const referrer = plainText(row.referrer)
  if (!referrer) return undefined
  return readReferrer(/^[a-z][a-z\d+.-]*:\/\//i.test(referrer) ? referrer : `https://${referrer}`, texts)
}

/** Arrays of names and values. */
function propertiesOf(row: Row): [string, unknown][] {
  const [names, values] = [listIn(row['meta.key']), listIn(row['meta.value'])]
  return names.map((name, index) => [String(name), values[index]])
}

/** An array as JSON, or as ClickHouse writes it in CSV: `['a','it\'s']`. */
function listIn(value: unknown): unknown[] {
  if (typeof value !== 'string') return arrayIn(value)
  return [...value.matchAll(/'((?:[^'\\]|\\.|'')*)'/gs)].map(([, text]) =>
    text!.replace(/''|\\(.)/gs, (both, character) =>
      both === "''" ? "'" : (ESCAPES[character] ?? character),
    ),
  )
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '' }

/** Events that Plausible's own script sends, under the names that they have here. */
function capturedAs(name: string, properties: [string, unknown][]) {
  const url = properties.find(([key]) => key === 'url')?.[1]
  const others = properties.filter(([key]) => key !== 'url')
  switch (name) {
    case 'Outbound Link: Click':
      return { name: 'outbound', properties: [...captureOf({ url }), ...others] }
    case 'File Download':
      return {
        name: 'download',
        properties: [...captureOf({ url }), ['file', fileOf(url)] as const, ...others],
      }
    case 'Form: Submission':
      return { name: 'form', properties }
    default:
      return undefined
  }
}

/** A currency of three zero bytes, and an amount of 0, are none. */
function revenueOf(row: Row): { amount: number; currency: string } | undefined {
  const amount = plainNumber(row.revenue_source_amount)
  const currency = plainText(row.revenue_source_currency)
  return amount && amount > 0 && currency && /^[A-Z]{3}$/i.test(currency) ? { amount, currency } : undefined
}
