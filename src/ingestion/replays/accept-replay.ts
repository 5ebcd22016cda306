import { hash } from 'node:crypto'
import type { TrackedSite } from '../../access/sites/find-site.ts'
import { AppError } from '../../platform/errors.ts'
import { matchesPath } from '../../platform/lib/path-patterns.ts'
import { type DropReason, type Edge, givenVisitorId, type Sender } from '../edge/accept.ts'
import { visitorIdFor } from '../edge/visitor-ids.ts'
import { isCrawler } from '../stages/crawler.ts'
import { type ReplayHead, readChunk, readHead } from './read-chunk.ts'
import type { ReplayJob } from './replay-job.ts'

/** A chunk to queue; none where the sender only asked, or where the chunk is dropped. */
export interface AcceptedReplay {
  site: TrackedSite
  dropped?: DropReason
  job?: Omit<ReplayJob, 'jobId'>
}

/**
 * Checks the body of a recording. The costly parts come last: a chunk that is dropped is not unpacked.
 * @param now Unix milliseconds: the time of receipt
 * @param charge counts the bytes of a chunk before it is parsed
 * @throws AppError `validation_failed` with the names of the fields, `not_found` for an unknown tracking key, and as `readChunk`
 */
export async function acceptReplay(
  edge: Edge,
  body: Buffer,
  sender: Sender,
  now: number,
  charge: (unpacked: number) => Promise<void>,
): Promise<AcceptedReplay> {
  const { head, chunk } = readHead(body)
  const site = await edge.siteKeys.find(head.key)
  if (!site) throw new AppError('not_found', 'No site has this tracking key')
  const dropped = dropReason(site, head, sender)
  if (dropped) return { site, dropped }
  const { recording, position } = head
  if (recording === undefined || position === undefined) return { site }
  const { data, ...read } = await readChunk(chunk, charge)
  const job = {
    siteNo: site.siteNo,
    at: now,
    pageAt: now - head.page_ms,
    ...(await visitorOf(edge, site, head, sender, now)),
    hostname: head.hostname,
    path: head.path,
    recording,
    position,
    ...read,
    data: data.toString('base64'),
  }
  return { site, job }
}

function dropReason(site: TrackedSite, { path }: ReplayHead, sender: Sender): DropReason | undefined {
  if (isCrawler(sender.userAgent)) return 'bot'
  if (!site.trackSessionReplay) return 'replay_off'
  if (matchesPath(site.replayExcludedPaths, path)) return 'excluded_path'
  return undefined
}

async function visitorOf(
  { salts }: Edge,
  site: TrackedSite,
  head: ReplayHead,
  { address, userAgent }: Sender,
  now: number,
): Promise<Pick<ReplayJob, 'visitorId' | 'previousVisitorId'>> {
  const given = givenVisitorId({ visitorId: head.visitor_id, newVisitorId: head.new_visitor_id }, site)
  if (given) return { visitorId: given }
  const { today, yesterday } = await salts.at(now)
  const idOf = (salt: Buffer) => visitorIdFor(salt, site.siteId, address, userAgent)
  return { visitorId: idOf(today), ...(yesterday && { previousVisitorId: idOf(yesterday) }) }
}

/**
 * Returns whether the page of a pageview is recorded: by the options of the site, its path and the visitor. All pageviews of a visitor
 * on one day agree.
 */
export function isRecorded(
  site: Pick<TrackedSite, 'trackSessionReplay' | 'replaySamplePercent' | 'replayExcludedPaths' | 'siteId'>,
  { visitorId, url = '' }: { visitorId: string; url?: string },
): boolean {
  return (
    site.trackSessionReplay &&
    isSampled(site.siteId + visitorId, site.replaySamplePercent) &&
    !matchesPath(site.replayExcludedPaths, url)
  )
}

const isSampled = (text: string, percent: number): boolean =>
  percent >= 100 || Number.parseInt(hash('sha1', text).slice(0, 8), 16) % 100 < percent
