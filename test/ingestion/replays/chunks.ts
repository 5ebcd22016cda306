import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { ReplayJob } from '../../../src/ingestion/replays/replay-job.ts'

/** Events of rrweb that say nothing. */
export const eventsAt = (at: number, count = 2, text = '') =>
  Array.from({ length: count }, (_, index) => ({
    type: index === 0 ? 2 : 3,
    timestamp: at + index * 1_000,
    data: { source: 0, text },
  }))

/** A chunk as the queue has it. */
export function replayJob(
  site: { siteNo: number },
  at: number,
  fields: Partial<ReplayJob> & { content?: object[] } = {},
): ReplayJob {
  const { content = eventsAt(at), ...given } = fields
  const text = JSON.stringify(content)
  return {
    jobId: randomUUID(),
    siteNo: site.siteNo,
    at,
    pageAt: at,
    visitorId: randomUUID(),
    hostname: 'example.com',
    path: '/pricing',
    recording: randomUUID(),
    position: 0,
    firstEventMs: (content[0] as { timestamp: number }).timestamp,
    lastEventMs: (content.at(-1) as { timestamp: number }).timestamp,
    events: content.length,
    unpacked: text.length,
    data: gzipSync(text).toString('base64'),
    ...given,
  }
}
