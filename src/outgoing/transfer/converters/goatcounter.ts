import type { CsvRow } from '../read/csv.ts'
import { readTime } from '../read/times.ts'
import type { Converted, Converter, ConvertOptions } from './converter.ts'
import { readDevice } from './fields/device.ts'
import { customEvent, pageview, readName, readReferrer, readTitle, type Sender } from './fields/lines.ts'
import { readPage, type Tags, withTags } from './fields/page.ts'
import { readPlace } from './fields/place.ts'
import { convertEach } from './fields/row-outcome.ts'
import { readRows } from './fields/rows.ts'
import { asSentence, LIMITS, plainText, Texts } from './fields/texts.ts'
import { NO_TIME, validTime } from './fields/times.ts'
import { visitorIdOf } from './visitor-id.ts'

const FILE = 'the CSV export of GoatCounter (version 2 or 1), also packed with gzip'

/** The first column has the version of the format before its name. */
const COLUMNS = [['2path', '1path'], ['event'], ['session'], ['date']] as const

/**
 * GoatCounter's export of all pageviews (settings, Export).
 * @see https://www.goatcounter.com/help/export
 */
export const goatcounter: Converter = {
  title: 'GoatCounter',
  file: asSentence(FILE),
  notes: [
    'A visitor is what GoatCounter calls a session: one browser for up to 8 hours.',
    'GoatCounter keeps neither addresses of visitors nor, since version 2, user agents; browser and system have their names.',
    'The host is not in the file: all pages get the domain of the site.',
    'Of a campaign only its name is known. It becomes utm_source of the page, because GoatCounter removed the tags from the address.',
    'Names of sources that GoatCounter made of referrers, such as Google or Email, become the tag ref of the page.',
    'Versions of browsers and systems are those that GoatCounter keeps, without finer digits. Languages and properties are not in the file.',
  ],
  async *convert(file, options) {
    const texts = new Texts()
    yield* convertEach(readRows(file, COLUMNS, FILE), texts, ({ row }) => [convertRow(row, options, texts)])
  },
}

function convertRow(row: CsvRow, options: ConvertOptions, texts: Texts): Converted {
  const bot = plainText(row.bot)
  if (bot && bot !== '0') return { left: 'crawler' }
  const at = validTime(readTime(row.date, 'UTC'))
  if (at === undefined) return { left: NO_TIME }
  const session = plainText(row.session)
  if (!session || /^[0-]+$/.test(session)) return { left: 'no session, so that the visitor is not known' }

  const sender: Sender = {
    at,
    hostname: options.domain,
    visitorId: visitorIdOf('goatcounter', session),
    // Version 1 has the user agent in the column of the browser.
    userAgent: plainText(row['1path'] === undefined ? row.useragent : row.browser)?.slice(0, 1_000),
    location: placeOf(row.location),
  }
  const device = readDevice(deviceOf(row, sender), texts)
  const path = plainText(row['2path'] ?? row['1path'])
  if (isTrue(row.event)) {
    const name = readName(path, texts)
    return name ? customEvent(sender, { name, device }) : { left: 'event without name' }
  }
  const page = readPage(path, texts)
  if (!page) return { left: 'no page' }
  const { referrer, tags } = originOf(row, texts)
  return pageview(
    { ...sender, hostname: page.hostname ?? sender.hostname },
    { path: withTags(page.path, tags, texts), title: readTitle(row.title, texts), referrer, device },
  )
}

/** SQLite writes 0 and 1, PostgreSQL and the documentation false and true. */
const isTrue = (text: string | undefined) => /^(1|t|true)$/i.test(text?.trim() ?? '')

function deviceOf(row: CsvRow, { userAgent }: Sender) {
  const [width, height] = (row['screen size'] ?? '').split(',')
  const isNamed = row['2path'] !== undefined && !userAgent
  return {
    width,
    height: Number(height) > 0 ? height : undefined,
    ...(isNamed && browserOf(row.browser)),
    ...(isNamed && systemOf(row.system)),
  }
}

function browserOf(text: string | undefined) {
  const [browser, browserVersion] = nameAndVersion(text)
  return { browser, browserVersion }
}

/** Of Linux the version is a distribution, as in `Linux Ubuntu`. */
function systemOf(text: string | undefined) {
  const [name, osVersion] = nameAndVersion(text)
  return { os: /^linux\b/i.test(name) ? 'Linux' : name, osVersion }
}

/** Splits `Chrome 86` and `macOS 10.15`: a version begins with a digit. */
function nameAndVersion(text: string | undefined): [name: string, version: string | undefined] {
  const match = /^(.*?)(?:\s+(\d\S*))?$/s.exec(text?.trim() ?? '')
  return [match?.[1] ?? '', match?.[2]]
}

/** `US` or `US-TX`. */
function placeOf(location: string | undefined) {
  const code = location?.trim() ?? ''
  return readPlace({ country: code.slice(0, 2), region: code.includes('-') ? code : undefined })
}

/** Where a visitor came from: GoatCounter keeps an address, or the name of a source. */
function originOf(row: CsvRow, texts: Texts): { referrer?: string | undefined; tags: Tags } {
  const text = plainText(row.referrer)
  if (!text) return { tags: {} }
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
  switch (plainText(row['referrer scheme'])) {
    // A campaign without a source has the address of the referrer.
    case 'c':
      return isAddress ? { referrer: readReferrer(text, texts), tags: {} } : { tags: { utm_source: text } }
    case 'h':
      return { referrer: readReferrer(isAddress ? text : `https://${text}`, texts), tags: {} }
    // A name such as `Email`, or the host that stands for several, such as `www.reddit.com`.
    case 'g':
      return /^[^\s/]+\.[^\s/]+$/.test(text)
        ? { referrer: readReferrer(`https://${text}`, texts), tags: {} }
        : { tags: { ref: text } }
    default:
      return originOfApp(text, isAddress, texts)
  }
}

/** Apps have the name of their package, `com.slack`, or an address of the scheme `android-app`. */
function originOfApp(text: string, isAddress: boolean, texts: Texts) {
  const isPackage = /^[a-z][\w-]*(\.[\w-]+){2,}$/i.test(text)
  if (!isPackage && !isAddress) return { tags: {} }
  const address = texts.read(isAddress ? text : `android-app://${text}`, LIMITS.referrer, 'referrer')
  return { referrer: address, tags: {} }
}
