import { type Db, statement } from '../../infra/db.ts'
import type { FoldedDay, Window } from '../protocol.ts'
import { dayAround } from './local-days.ts'
import { findSpans, type Round } from './round.ts'

/** Marks taken off in one round. */
const MAX_MARKS = 5_000

interface Mark {
  siteNo: number
  bucket: Date
  version: number
}

const findFoldsAt = statement<Window & { siteNo: number }>('find-folds-at')
const selectDirty = statement<Mark>('select-dirty')
const deleteDirty = statement('delete-dirty')

/**
 * Folds marked days anew, the newest first.
 * @param until only days that end before it, Unix milliseconds, whether they were folded before or not
 * @returns true when all of it was done
 */
export async function refoldMarked({ db, fold, horizon, hasTime }: Round, until?: number): Promise<boolean> {
  const before = until === undefined ? null : new Date(until)
  const marks = await selectDirty(db, 'folds', MAX_MARKS, null, before)
  if (marks.length === 0) return true
  const spans = await findSpans(db, [...new Set(marks.map(({ siteNo }) => siteNo))])
  const spanOf = new Map(spans.map(span => [span.siteNo, span]))
  const days = new Map<string, FoldedDay>()
  const note = (day: Window, zone: string, { siteNo, bucket, version }: Mark) => {
    if (until !== undefined && day.end > until) return
    const key = `${siteNo}/${day.start}/${day.end}`
    if (!days.has(key)) days.set(key, { ...day, siteNo, zone, foldedTo: horizon, isAnew: true, marks: [] })
    days.get(key)!.marks.push({ bucket: bucket.getTime(), version })
  }
  const outside: Mark[] = []
  for (const mark of marks) {
    const span = spanOf.get(mark.siteNo)
    const at = mark.bucket.getTime()
    if (!span && until !== undefined) continue
    if (!span || (at < span.foldedFrom.getTime() && until === undefined)) outside.push(mark)
    else note(dayAround(span.foldedZone, at), span.foldedZone, mark)
  }
  // A day that was folded last before a round was cut off lies outside, and is read all the same.
  const read = await foldsAt(db, outside)
  const idle: Mark[] = []
  for (const mark of outside) {
    const day = read.find(fold => fold.siteNo === mark.siteNo && holds(fold, mark))
    const span = spanOf.get(mark.siteNo)
    if (day && span) note({ start: day.start, end: day.end }, span.foldedZone, mark)
    else idle.push(mark)
  }
  // Nothing is folded there, or no more.
  if (idle.length > 0) await takeOff(db, idle)
  for (const day of [...days.values()].toSorted((a, b) => b.start - a.start)) {
    if (!hasTime()) return false
    await fold(day)
  }
  return marks.length < MAX_MARKS
}

async function foldsAt(db: Db, marks: Mark[]): Promise<(Window & { siteNo: number })[]> {
  if (marks.length === 0) return []
  return findFoldsAt(
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
    'folds',
    marks.map(mark => mark.siteNo),
    marks.map(mark => mark.bucket.getTime()),
    marks.map(mark => mark.version),
  )
