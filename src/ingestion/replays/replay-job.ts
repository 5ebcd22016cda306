import { HOUR_MS } from '../../platform/lib/time.ts'
import type { Allowance } from '../../platform/queue/bounded-queue.ts'

/** A chunk of a recording on its way to the database, without the client address. */
export interface ReplayJob {
  jobId: string
  siteNo: number
  /** Time of receipt, Unix milliseconds. */
  at: number
  /** When the page was opened, as far as the sender says. */
  pageAt: number
  /** Visitor UUID, and that of the previous day; as in `Hit`. */
  visitorId: string
  previousVisitorId?: string | undefined
  hostname: string
  path: string
  /** Made by the page when it began to record; chunks are numbered from 0. */
  recording: string
  position: number
  /** The clock of the browser, Unix milliseconds. */
  firstEventMs: number
  lastEventMs: number
  events: number
  /** Bytes of the events as JSON. */
  unpacked: number
  /** gzip, as base64. */
  data: string
  /** How often its session was not found. */
  tries?: number
}

/** Disk that the row of a chunk takes without its events and texts, about: many small chunks are not free. */
const ROW_BYTES = 300

/** Returns the bytes of a chunk on disk, about. */
export const bytesOf = ({ data, hostname, path }: Pick<ReplayJob, 'data' | 'hostname' | 'path'>): number =>
  Buffer.byteLength(data, 'base64') + Buffer.byteLength(hostname + path) + ROW_BYTES

/**
 * Returns what chunks of a site may take on the UTC day of one of them. A chunk counts when it is stored: one whose visitor has no session
 * takes nothing away from the others.
 * @param most bytes
 */
export const siteDay = ({ siteNo, at }: Pick<ReplayJob, 'siteNo' | 'at'>, most: number): Allowance => ({
  key: `replay:site:${siteNo}:${new Date(at).toISOString().slice(0, 10)}`,
  most,
  keptMs: 25 * HOUR_MS,
  isCountedLater: true,
})
