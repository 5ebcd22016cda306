import type { Outputs } from '../../../api/client.ts'

type Chunk = Pick<Outputs['stats']['replay']['data'][number], 'recording' | 'path' | 'received_at' | 'events'>
type Hit = Pick<Outputs['stats']['session']['data'][number], 'event_type' | 'event_name' | 'timestamp'>

/** What one page recorded, on the time axis of the player: pages one after the other, without the time between them. */
export interface Recording {
  events: unknown[]
  /** Clock of the browser, Unix milliseconds. */
  startMs: number
  lengthMs: number
  /** Where it begins on the axis. */
  offsetMs: number
}

export interface Mark {
  kind: 'page' | 'error'
  name: string
  /** On the axis, in milliseconds. */
  atMs: number
  /** Where to look: a page from its beginning, an error from the second before it. */
  lookMs: number
}

export interface Timeline {
  recordings: Recording[]
  lengthMs: number
  marks: Mark[]
  /** Returns the number of the recording that is shown at a moment of the axis. */
  indexAt(atMs: number): number
  /** Returns the moment of the axis for a time since the visit began; the next one that was recorded, if that was not. */
  fromVisit(visitMs: number): number
  /** The reverse. */
  toVisit(atMs: number): number
}

const FULL_SNAPSHOT = 2
/** Time before an error that shows what led to it. */
const BEFORE_MS = 1_000

/** @param startedAt when the visit began, by the clock of the service, which hits have, too */
export function createTimeline(chunks: readonly Chunk[], hits: readonly Hit[], startedAt: string): Timeline {
  const groups = byRecording(chunks)
    .filter(isPlayable)
    .map(group => ({ group, ...spanOf(group) }))
    .sort((a, b) => a.startMs - b.startMs)
  let lengthMs = 0
  const recordings: Recording[] = []
  const pages: Mark[] = []
  for (const { group, startMs, endMs } of groups) {
    const offsetMs = lengthMs
    const events = group.flatMap(chunk => chunk.events)
    recordings.push({ events, startMs, lengthMs: endMs - startMs, offsetMs })
    for (const [index, chunk] of group.entries()) {
      if (chunk.path === group[index - 1]?.path) continue
      const atMs = offsetMs + Math.max(0, spanOf([chunk]).startMs - startMs)
      pages.push({ kind: 'page', name: chunk.path, atMs, lookMs: atMs })
    }
    lengthMs += endMs - startMs
  }
  const visitStart = Date.parse(startedAt)
  const clock = visitStart - clockError(groups, visitStart)

  const indexAt = (atMs: number) =>
    Math.max(
      0,
      recordings.findLastIndex(({ offsetMs }) => offsetMs <= atMs),
    )
  function fromVisit(visitMs: number): number {
    const at = clock + visitMs
    const shown =
      recordings.findLast(({ startMs, lengthMs }) => startMs <= at && at <= startMs + lengthMs) ??
      recordings.find(({ startMs }) => startMs > at)
    return shown ? shown.offsetMs + Math.max(0, at - shown.startMs) : lengthMs
  }
  function toVisit(atMs: number): number {
    const shown = recordings[indexAt(atMs)]
    return shown ? Math.max(0, shown.startMs + atMs - shown.offsetMs - clock) : 0
  }
  const errors = hits
    .filter(({ event_type }) => event_type === 'error')
    .map(({ event_name, timestamp }): Mark => {
      const atMs = fromVisit(Date.parse(timestamp) - visitStart)
      const from = recordings[indexAt(atMs)]?.offsetMs ?? 0
      return { kind: 'error', name: event_name, atMs, lookMs: Math.max(from, atMs - BEFORE_MS) }
    })
  const marks = [...pages, ...errors].sort((a, b) => a.atMs - b.atMs)
  return { recordings, lengthMs, marks, indexAt, fromVisit, toVisit }
}

/** Chunks of a recording stand together. */
function byRecording(chunks: readonly Chunk[]): Chunk[][] {
  const groups: Chunk[][] = []
  for (const chunk of chunks) {
    const group = groups.at(-1)
    if (group?.[0]?.recording === chunk.recording) group.push(chunk)
    else groups.push([chunk])
  }
  return groups
}

const eventsOf = (chunks: readonly Chunk[]) =>
  chunks.flatMap(({ events }) => events as { type: unknown; timestamp: number }[])

/** Without the snapshot that a recording begins with, nothing can be shown: its first chunk may be lost. */
const isPlayable = (chunks: readonly Chunk[]): boolean =>
  eventsOf(chunks).length > 1 && eventsOf(chunks).some(({ type }) => type === FULL_SNAPSHOT)

function spanOf(chunks: readonly Chunk[]): { startMs: number; endMs: number } {
  let [startMs, endMs] = [Number.POSITIVE_INFINITY, 0]
  for (const { timestamp } of eventsOf(chunks)) {
    startMs = Math.min(startMs, timestamp)
    endMs = Math.max(endMs, timestamp)
  }
  return { startMs, endMs }
}

/**
 * Returns by how many milliseconds the clock of the service is ahead of that of the browser. The browser's is taken for right, unless
 * chunks came before their events, or the recording began before the visit.
 */
function clockError(
  groups: readonly { group: readonly Chunk[]; startMs: number }[],
  visitStart: number,
): number {
  const first = groups[0]
  if (!first) return 0
  const delays = groups.flatMap(({ group }) =>
    group.map(chunk => Date.parse(chunk.received_at) - spanOf([chunk]).endMs),
  )
  return Math.min(Math.max(0, visitStart - first.startMs), Math.min(...delays))
}

/** `1:05`, or `1:02:05` from an hour on. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const last = String(seconds % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${last}` : `${minutes}:${last}`
}
