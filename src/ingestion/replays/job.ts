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
