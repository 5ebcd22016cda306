import type { JsonObject } from '../../read/json-lines.ts'
import { arrayIn, objectIn } from '../fields/objects.ts'
import { plainNumber, plainText } from '../fields/texts.ts'
import { unixTime } from '../fields/times.ts'
import type { LoggedRequest } from './page-request.ts'
import { readLogTime } from './text-line.ts'

/**
 * Reads a line of Caddy, or one of the data set http_requests of Cloudflare's Logpush.
 * @returns undefined for another format
 */
export function readJsonLine(value: JsonObject, timezone: string): LoggedRequest | undefined {
  if ('ClientRequestMethod' in value || 'ClientRequestURI' in value) return readCloudflare(value, timezone)
  const request = objectIn(value.request)
  return 'method' in request || 'uri' in request ? readCaddy(value, request, timezone) : undefined
}

/** @see https://caddyserver.com/docs/caddyfile/directives/log */
function readCaddy(value: JsonObject, request: JsonObject, timezone: string): LoggedRequest {
  const sent = headersOf(request.headers)
  return {
    at: timeIn(value.ts, timezone),
    // `client_ip` is that behind trusted proxies; versions before 2.5 have the port in `remote_addr`.
    ip:
      plainText(request.client_ip) ??
      plainText(request.remote_ip) ??
      plainText(request.remote_addr)
        ?.replace(/:\d+$/, '')
        .replace(/^\[|\]$/g, ''),
    method: plainText(request.method),
    uri: plainText(request.uri),
    host: plainText(request.host),
    status: plainNumber(value.status),
    referrer: sent('referer'),
    userAgent: request.headers === undefined ? undefined : (sent('user-agent') ?? ''),
    contentType: headersOf(value.resp_headers)('content-type'),
    language: sent('accept-language')?.split(/[,;]/)[0],
    destination: sent('sec-fetch-dest'),
    purpose: sent('sec-purpose') ?? sent('purpose') ?? sent('x-moz'),
    requestedWith: sent('x-requested-with'),
  }
}

/** Headers are lists of values by name. */
function headersOf(headers: unknown): (name: string) => string | undefined {
  const values = new Map(
    Object.entries(objectIn(headers)).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return name => {
    const value = values.get(name)
    return plainText(Array.isArray(value) ? arrayIn(value)[0] : value)
  }
}

/** Below this score, Cloudflare takes a request for one of a machine. */
const BOT_SCORE = 30
const MACHINES = new Set([
  'searchEngine',
  'monitoringService',
  'securityScanner',
  'scan',
  'backupService',
  'badHost',
])

/** @see https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests/ */
function readCloudflare(value: JsonObject, timezone: string): LoggedRequest {
  const score = plainNumber(value.BotScore)
  const category = plainText(value.VerifiedBotCategory)
  return {
    at: timeIn(value.EdgeStartTimestamp, timezone),
    ip: plainText(value.ClientIP),
    method: plainText(value.ClientRequestMethod),
    uri: plainText(value.ClientRequestURI) ?? plainText(value.ClientRequestPath),
    host: plainText(value.ClientRequestHost),
    status: plainNumber(value.EdgeResponseStatus),
    referrer: plainText(value.ClientRequestReferer),
    userAgent:
      'ClientRequestUserAgent' in value ? (plainText(value.ClientRequestUserAgent) ?? '') : undefined,
    contentType: plainText(value.EdgeResponseContentType),
    requestedWith: plainText(value.ClientXRequestedWith),
    isBot:
      // 0: not computed.
      (score !== undefined && score > 0 && score < BOT_SCORE) ||
      category !== undefined ||
      MACHINES.has(plainText(value.ClientIPClass) ?? '') ||
      value.WorkerSubrequest === true,
    location: { country: value.ClientCountry, region: value.ClientRegionCode, city: value.ClientCity },
    device: plainText(value.ClientDeviceType),
  }
}

/** A number of seconds up to nanoseconds, or a text; Caddy also writes `2024/01/31 12:00:00.123`. */
function timeIn(value: unknown, timezone: string): number | undefined {
  const number = plainNumber(value)
  if (number !== undefined) return unixTime(number)
  const text = plainText(value)?.replace(/^(\d{4})\/(\d\d)\/(\d\d) /, '$1-$2-$3 ')
  return text === undefined ? undefined : readLogTime(text, timezone)
}
