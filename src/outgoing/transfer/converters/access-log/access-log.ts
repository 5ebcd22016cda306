import { readLines } from '../../../../ingestion/import/lines.ts'
import { parseObject } from '../../read/json-lines.ts'
import { refusal } from '../../read/limits.ts'
import { filesIn } from '../../read/packed-files.ts'
import type { Converted, Converter, ConvertOptions } from '../converter.ts'
import { readDevice } from '../fields/device.ts'
import { pageview, readReferrer } from '../fields/lines.ts'
import { readHostname, readPage } from '../fields/page.ts'
import { readPlace } from '../fields/place.ts'
import { rowOutcome } from '../fields/row-outcome.ts'
import { asSentence, Texts } from '../fields/texts.ts'
import { readJsonLine } from './json-line.ts'
import { type LoggedRequest, reasonAgainst } from './page-request.ts'
import { readTextLine } from './text-line.ts'

const FILE =
  'an access log of nginx or Apache (common or combined), of Caddy (JSON), or of Cloudflare Logpush (http_requests), also packed with gzip'

/** A file is no access log when none of so many lines is of a known format. */
const ENOUGH = 1_000

/** Access logs of web servers: the pages that people asked for. */
export const accessLog: Converter = {
  title: 'Access log',
  file: asSentence(FILE),
  notes: [
    'Only documents count: GET requests that were answered with 200 or 304, whose address has no extension of a file and is no known interface, and whose content type is HTML where the log has it.',
    'Crawlers, HTTP libraries, prefetches, redirects and errors are left out. Crawlers that pass as browsers are not recognized.',
    'A visitor is an address with a user agent on one UTC day, as in live hits without cookies. In the common format, which has no user agents, it is the address alone, and crawlers cannot be told apart.',
    'Logs have no titles, screens, events and engagement. Pages from caches of browsers or of a network in between are missing, as are page changes of single-page applications.',
  ],
  async *convert(file, options) {
    const texts = new Texts()
    let lines = 0
    let isKnown = false
    const otherFormat = () => refusal(`${file.name} is of another format. Bring ${FILE}`)
    for (const { read } of await filesIn(file)) {
      for await (const chunk of readLines(read())) {
        for (const { number, text } of chunk) {
          const request = text && readRequest(text.toString(), options.timezone)
          isKnown ||= request !== undefined
          lines += 1
          if (!isKnown && lines >= ENOUGH) throw otherFormat()
          const outcome = text ? convertRequest(request, options, texts) : { left: 'the line is too long' }
          yield* rowOutcome(number, texts, [outcome])
        }
      }
    }
    if (!isKnown && lines > 0) throw otherFormat()
  },
}

function readRequest(text: string, timezone: string): LoggedRequest | undefined {
  if (!text.startsWith('{')) return readTextLine(text, timezone)
  const { value } = parseObject(text)
  return value && readJsonLine(value, timezone)
}

function convertRequest(
  request: LoggedRequest | undefined,
  options: ConvertOptions,
  texts: Texts,
): Converted {
  if (!request) return { left: 'not a line of an access log' }
  const uri = requestedAddress(request.uri)
  const page = readPage(uri, texts)
  const host = page?.hostname ?? readHostname(request.host, texts)
  if (host && !isOfSite(host, options)) return { left: 'another website' }
  const reason = reasonAgainst({ ...request, uri })
  if (reason) return { left: reason }
  if (!page) return { left: 'no address' }
  const sender = {
    at: request.at,
    hostname: host ?? options.domain,
    ip: request.ip?.slice(0, 100),
    userAgent: request.userAgent?.slice(0, 1_000),
    location: request.location && readPlace(request.location),
  }
  const device = readDevice({ language: request.language, kind: request.device }, texts)
  return pageview(sender, { path: page.path, referrer: readReferrer(request.referrer, texts), device })
}

/** An address that begins with several slashes is a path, which servers answer like that with one; it names no host. */
const requestedAddress = (uri: string | undefined) => uri?.replace(/^\/{2,}/, '/')

/** The log of a server may hold many websites: those of the site are its domain, with or without `www.`, and below it. */
function isOfSite(host: string, { domain, website }: ConvertOptions): boolean {
  const own = (website ?? domain)
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^www\./, '')
  const bare = host.replace(/^www\./, '')
  return bare === own || (website === undefined && bare.endsWith(`.${own}`))
}
