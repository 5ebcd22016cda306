import type { CsvRow } from '../read/csv.ts'
import { readTime } from '../read/times.ts'
import type { Converted, Converter, ConvertOptions } from './converter.ts'
import { readDevice } from './fields/device.ts'
import { customEvent, engagement, pageview, readName, readReferrer, type Sender } from './fields/lines.ts'
import { readHostname, readPage, type Tags, UTM_NAMES, withTags } from './fields/page.ts'
import { readPlace } from './fields/place.ts'
import { readProperties } from './fields/properties.ts'
import { convertEach } from './fields/row-outcome.ts'
import { readRows } from './fields/rows.ts'
import { asSentence, plainNumber, plainText, Texts } from './fields/texts.ts'
import { NO_TIME, unixTime, validTime } from './fields/times.ts'
import { visitorIdOf } from './visitor-id.ts'

const FILE =
  'the CSV export of data points of Simple Analytics, with the columns added_iso, hostname, path and session_id'

const COLUMNS = [
  ['added_unix', 'added_iso'],
  ['path', 'url'],
  ['session_id', 'uuid'],
] as const

/**
 * Simple Analytics' export of data points (page views and events).
 * @see https://docs.simpleanalytics.com/api/export-data-points
 */
export const simpleAnalytics: Converter = {
  title: 'Simple Analytics',
  file: asSentence(FILE),
  notes: [
    'Simple Analytics does not recognize visitors. A visitor is what has one session_id: what happened without leaving the page, or within a single-page application. Without session_id each page view is a visitor of its own. So visitors and sessions are more than Simple Analytics counts, which goes by the referrer.',
    'Titles are not in the file. Of the query only the parameters that Simple Analytics keeps are.',
    'Time on page (duration_seconds) counts as engaged time.',
  ],
  async *convert(file, options) {
    const texts = new Texts()
    yield* convertEach(readRows(file, COLUMNS, FILE), texts, ({ row }) => convertRow(row, options, texts))
  },
}

function* convertRow(row: CsvRow, options: ConvertOptions, texts: Texts): Generator<Converted> {
  if (/^(true|1|t)$/i.test(row.is_robot?.trim() ?? '')) return yield { left: 'crawler' }
  const at = validTime(timeOf(row, options.timezone))
  if (at === undefined) return yield { left: NO_TIME }
  const page = readPage(addressOf(row), texts)
  const hostname = readHostname(row.hostname, texts) ?? page?.hostname ?? options.domain
  if (isOfOther(hostname, row, options.website)) return yield { left: 'another website' }
  const visit = plainText(row.session_id) ?? plainText(row.uuid)
  if (!visit) return yield { left: 'neither session_id nor uuid' }

  const sender: Sender = {
    at,
    hostname,
    visitorId: visitorIdOf('simple-analytics', visit),
    userAgent: plainText(row.user_agent)?.slice(0, 1_000),
    location: readPlace({ country: row.country_code }),
  }
  const device = readDevice(deviceOf(row), texts)
  const path = page && withTags(page.path, tagsOf(row), texts)
  const referrer = readReferrer(row.document_referrer || row.referrer || row.referrer_raw, texts)
  const properties = metadataOf(row)
  const name = eventOf(row, texts)
  if (name) {
    const captured = capturedAs(name)
    yield customEvent(sender, {
      name: captured?.name ?? name,
      path,
      referrer,
      device,
      properties: readProperties([...(captured?.properties ?? []), ...properties], texts),
    })
    return
  }
  if (!path || !page) return yield { left: 'no page' }
  yield pageview(sender, { path, referrer, device, properties: readProperties(properties, texts) })
  const seconds = Math.max(plainNumber(row.duration_seconds) ?? 0, 0)
  const done = { path: page.path, ms: seconds * 1_000, scroll: plainNumber(row.scrolled_percentage) }
  const engaged = engagement({ ...sender, at: at + seconds * 1_000 }, done)
  if (engaged) yield engaged
}

function timeOf(row: CsvRow, timezone: string): number | undefined {
  const unix = plainNumber(row.added_unix)
  return unix === undefined ? readTime(row.added_iso, timezone) : unixTime(unix)
}

function isOfOther(hostname: string, row: CsvRow, website: string | undefined): boolean {
  if (website === undefined) return false
  return (
    hostname !== website.toLowerCase() &&
    row.hostname_original?.trim().toLowerCase() !== website.toLowerCase()
  )
}

function addressOf(row: CsvRow): string | undefined {
  const address = plainText(row.path) ?? plainText(row.url)
  const query = plainText(row.query)?.replace(/^\?/, '')
  return address && query && !address.includes('?') ? `${address}?${query}` : address
}

/** In page views the column is empty or `pageview`. */
function eventOf(row: CsvRow, texts: Texts): string | undefined {
  const name = readName(row.datapoint, texts)
  return name && name !== 'pageview' ? name : undefined
}

function deviceOf(row: CsvRow) {
  const language = [row.lang_language, row.lang_region].filter(part => plainText(part)).join('-')
  return {
    width: row.screen_width,
    height: row.screen_height,
    language,
    os: row.os_name,
    osVersion: row.os_version,
    browser: row.browser_name,
    browserVersion: row.browser_version,
    kind: row.device_type,
  }
}

const tagsOf = (row: CsvRow): Tags => Object.fromEntries(UTM_NAMES.map(name => [name, row[name]]))

/** Columns such as `metadata.plan_text`: the name and one of the types text, int, bool and date. */
function metadataOf(row: CsvRow): [string, unknown][] {
  return Object.entries(row)
    .filter(([column, value]) => column.startsWith('metadata.') && value)
    .map(([column, value]) => [column.slice('metadata.'.length).replace(/_(text|int|bool|date)$/, ''), value])
}

/** Names of automated events have what was clicked behind them: `outbound_example_com`, `download_report_pdf`. */
function capturedAs(name: string): { name: string; properties: [string, unknown][] } | undefined {
  const action = /^(outbound|download)_/.exec(name)?.[1]
  return action ? { name: action, properties: [['name', name]] } : undefined
}
