import { readTime } from '../../read/times.ts'
import type { LoggedRequest } from './page-request.ts'

/** A text in quotes, in which quotes are escaped with a backslash. */
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"'

/**
 * Common and combined format of nginx and Apache: address, two names, time, request, status, bytes, then referrer and user agent in the
 * combined one. A host may stand before (vhost_combined), anything after.
 */
const LINE = new RegExp(
  `^(?:(\\S+) )?(\\S+) \\S+ [^[]{1,100}? \\[([^\\]]{10,40})\\] ${QUOTED} (\\d{3}) (?:\\d+|-)(?: ${QUOTED} ${QUOTED})?(?: |$)(.*)$`,
  's',
)

/** A content type among the fields after those of the format, as `$sent_http_content_type` and `%{Content-Type}o` write it. */
const CONTENT_TYPE =
  /(?:^|[\s"=])((?:text|image|audio|video|font|model|application|multipart)\/[\w.+-]+)(?=[\s";,]|$)/i

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Reads a line of a log in common or combined format.
 * @param timezone IANA zone of times that name none
 * @returns undefined for another format
 */
export function readTextLine(text: string, timezone: string): LoggedRequest | undefined {
  const match = LINE.exec(text)
  if (!match) return undefined
  const [, host, ip, time, request, status, referrer, userAgent, more] = match
  const [method, uri] = unescaped(request!).split(' ')
  return {
    at: readLogTime(time!, timezone),
    ip,
    host: host?.replace(/^-$/, ''),
    method,
    uri,
    status: Number(status),
    referrer: valueIn(referrer),
    userAgent: userAgent === undefined ? undefined : (valueIn(userAgent) ?? ''),
    contentType: CONTENT_TYPE.exec(more ?? '')?.[1],
  }
}

/** Reads `10/Oct/2000:13:55:36 -0700`, and what other settings write: ISO 8601. */
export function readLogTime(text: string, timezone: string): number | undefined {
  const match = /^(\d{1,2})\/([a-z]{3})\/(\d{4}):(\d\d:\d\d:\d\d(?:\.\d+)?)(?: ?([+-]\d{4}))?$/i.exec(text)
  if (!match) return readTime(text, timezone)
  const [, day, name, year, clock, offset = ''] = match
  const month = MONTHS.indexOf(name!.toLowerCase()) + 1
  const date = [year, String(month).padStart(2, '0'), day!.padStart(2, '0')].join('-')
  return readTime(`${date}T${clock}${offset}`, timezone)
}

/** A hyphen stands for a header that was not sent. */
const valueIn = (text: string | undefined) =>
  text === undefined || text === '-' ? undefined : unescaped(text)

/** Both servers write bytes that are no printable ASCII as `\xC3`. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const bytes: Buffer[] = []
  for (const [part, hex, character] of text.matchAll(/\\x([\da-f]{2})|\\(.)|[^\\]+/gis)) {
    if (hex) bytes.push(Buffer.from(hex, 'hex'))
    else bytes.push(Buffer.from(character ? (ESCAPES[character] ?? character) : part))
  }
  return Buffer.concat(bytes).toString()
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', v: '\v' }
