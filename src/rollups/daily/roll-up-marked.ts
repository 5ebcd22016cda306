import { type Db, statement } from '../../infra/db.ts'
import type { RolledUpDay, Window } from '../protocol.ts'
import { dayAround } from './local-days.ts'
import { findSpans, type Round } from './round.ts'

/** Maximum number of marks that one round handles. */
const MAX_MARKS = 5_000

interface Mark {
  siteNo: number
  bucket: Date
  version: number
}

const findRollupsAt = statement<Window & { siteNo: number }>('find-daily-rollups-at')
const selectDirty = statement<Mark>('select-dirty')
const deleteDirty = statement('delete-dirty')

/**
 * Rebuilds the rollups of marked days from raw rows, newest day first.
 * @param until only days that end by then, Unix milliseconds; days without a rollup get one too
 * @returns true when it has handled all marks
 */
export async function rollUpAgainMarked(
  { db, rollUp, watermark, hasTime }: Round,
  until?: number,
): Promise<boolean> {
  const before = until === undefined ? null : new Date(until)
  const marks = await selectDirty(db, 'daily_rollups', MAX_MARKS, null, before)
  if (marks.length === 0) return true
  const spans = await findSpans(db, [...new Set(marks.map(({ siteNo }) => siteNo))])
  const spanOf = new Map(spans.map(span => [span.siteNo, span]))
  const days = new Map<string, RolledUpDay>()
  const note = (day: Window, zone: string, { siteNo, bucket, version }: Mark) => {
    if (until !== undefined && day.end > until) return
    const key = `${siteNo}/${day.start}/${day.end}`
    if (!days.has(key))
      days.set(key, { ...day, siteNo, zone, rolledUpTo: watermark, isAnew: true, marks: [] })
    days.get(key)!.marks.push({ bucket: bucket.getTime(), version })
  }
  const outside: Mark[] = []
  for (const mark of marks) {
    const span = spanOf.get(mark.siteNo)
    const at = mark.bucket.getTime()
    if (!span && until !== undefined) continue
    if (!span || (at < span.rolledUpFrom.getTime() && until === undefined)) outside.push(mark)
    else note(dayAround(span.rolledUpZone, at), span.rolledUpZone, mark)
  }
  // When a round was stopped before it moved the span, a day before the span can have a rollup, and readers use it.
  const read = await rollupsAt(db, outside)
  const idle: Mark[] = []
  for (const mark of outside) {
    const day = read.find(rollup => rollup.siteNo === mark.siteNo && holds(rollup, mark))
    const span = spanOf.get(mark.siteNo)
    if (day && span) note({ start: day.start, end: day.end }, span.rolledUpZone, mark)
    else idle.push(mark)
  }
  // These days have no rollup, so their marks have no effect.
  if (idle.length > 0) await takeOff(db, idle)
  for (const day of [...days.values()].toSorted((a, b) => b.start - a.start)) {
    if (!hasTime()) return false
    await rollUp(day)
  }
  return marks.length < MAX_MARKS
}

async function rollupsAt(db: Db, marks: Mark[]): Promise<(Window & { siteNo: number })[]> {
  if (marks.length === 0) return []
  return findRollupsAt(
    db,
    marks.map(mark => mark.siteNo),
    marks.map(mark => mark.bucket.getTime()),
  )
}

const holds = ({ start, end }: Window, { bucket }: Mark): boolean =>
  start <= bucket.getTime() && bucket.getTime() < end

const takeOff = (db: Db, marks: Mark[]) =>
  deleteDirty(
    db,
    'daily_rollups',
    marks.map(mark => mark.siteNo),
    marks.map(mark => mark.bucket.getTime()),
    marks.map(mark => mark.version),
  )
