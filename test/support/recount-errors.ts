import { createHash } from 'node:crypto'
import { bucketing, countsPerBucket } from './recount-buckets.ts'
import { type LogItem, recountLog } from './recount-log.ts'
import { keptOf, type Query } from './recount-metrics.ts'
import type { SeriesQuery } from './recount-timeseries.ts'
import { byText, type CountedHit, visitorsOf, type World } from './recount-world.ts'

/** Groups that occur in the range, by occurrences, sessions, id. */
export function recountErrors(world: World, siteId: string, query: Query) {
  const messages = new Set(world.hits.filter(isError).map(messageOf))
  return [...messages]
    .map(message => recountError(world, siteId, message, query))
    .filter(group => group.occurrences > 0)
    .toSorted((a, b) => b.occurrences - a.occurrences || b.sessions - a.sessions || byText(a.id, b.id))
}

/** One group, whatever occurred of it in the range; named after the newest that counts, or of all when none does. */
export function recountError(world: World, siteId: string, message: string, query: Query) {
  const kept = keptOf(world, query)
  const occurrences = kept.hits.filter(hit => isOccurrence(hit, message))
  const visits = kept.started.filter(visit => kept.seenBy(visit).some(hit => isOccurrence(hit, message)))
  const ever = world.hits.filter(hit => isOccurrence(hit, message))
  const newest = occurrences.at(-1) ?? ever.at(-1)
  if (!newest) throw new Error(`no such error: ${message}`)
  return {
    id: errorFingerprint(siteId, message),
    message,
    error_name: newest.values.event_name,
    occurrences: occurrences.length,
    sessions: visits.length,
    visitors: visitorsOf(occurrences),
    first_seen: new Date(Math.min(...ever.map(hit => hit.at))).toISOString(),
    last_seen: new Date(Math.max(...ever.map(hit => hit.at))).toISOString(),
  }
}

/** Occurrences per bucket. */
export function recountErrorSeries(world: World, message: string, query: SeriesQuery) {
  const { group, buckets, labels } = bucketing(world, query)
  const occurrences = keptOf(world, query).hits.filter(hit => isOccurrence(hit, message))
  const moments = occurrences.map(hit => hit.at)
  return { labels, types: ['error'], series: { error: countsPerBucket(buckets, moments) }, group }
}

/** Newest first. */
export function recountOccurrences(world: World, message: string, query: Query): LogItem[] {
  const ids = new Set(world.hits.filter(hit => isOccurrence(hit, message)).map(hit => hit.id))
  return recountLog(world, ['error'], query).filter(item => ids.has(item.id))
}

function isError(hit: CountedHit): boolean {
  return hit.type === 'error'
}

function isOccurrence(hit: CountedHit, message: string): boolean {
  return isError(hit) && messageOf(hit) === message
}

/** Without a message it is the error's name. */
function messageOf(hit: CountedHit): string {
  return hit.sent.errorMessage || hit.values.event_name
}

/** UUIDv5 (RFC 9562): SHA-1 of the bytes of the site's id and the message. */
function errorFingerprint(siteId: string, message: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(siteId.replaceAll('-', ''), 'hex'))
    .update(message)
    .digest()
    .subarray(0, 16)
  digest[6] = (digest[6]! & 0x0f) | 0x50
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
