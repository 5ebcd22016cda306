import { type Db, statement } from '../../infra/db.ts'
import { localDay, startOfDay } from '../../infra/local-time.ts'
import type { FoldedDay, Window } from '../protocol.ts'
import { VisitorSet } from '../visitor-set.ts'
import { OPEN_MS } from './cover.ts'
import { forgetFolds } from './fold-day.ts'
import { horizonOf } from './horizon.ts'
import { SILENCE_MS } from './portion.ts'

/** Marks taken off in one round. */
const MAX_MARKS = 5_000
/** No hit is older. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')

interface FoldedSite {
  siteNo: number
  timezone: string
  firstEventAt: Date
  foldedZone: string | null
  foldedFrom: Date | null
}

interface Mark {
  siteNo: number
  bucket: Date
  version: number
}

interface Span {
  siteNo: number
  foldedZone: string
  foldedFrom: Date
}

const selectSites = statement<FoldedSite>('select-sites-to-fold')
const findSpans = statement<Span>('find-fold-spans')
const upsertSpan = statement('upsert-fold-span')
const selectOpenFolds = statement<Window & { hasHits: boolean }>('select-open-folds')
const findNewestFold = statement<{ end: number | null }>('find-newest-fold')
const findNewestHit = statement<{ at: number | null }>('find-newest-hit')
const insertEmptyFolds = statement('insert-empty-folds')
const advanceFold = statement('advance-fold')
const findFoldsAt = statement<Window & { siteNo: number }>('find-folds-at')
const selectDirty = statement<Mark>('select-dirty')
const deleteDirty = statement('delete-dirty')
const noteRefreshed = statement('note-refreshed')

/** Runs `foldDay`, here or in a thread. */
export type FoldDay = (day: FoldedDay) => Promise<unknown>

/** A round of work on folds: what it may use, and until when. */
interface Round {
  db: Db
  fold: FoldDay
  /** Folds hold nothing that is later, Unix milliseconds. */
  horizon: number
  hasTime: () => boolean
}

/**
 * Brings the folds of all sites up to now: of days that go on, of days that were marked, then of the past, the newest day
 * first. Changes no number. May be cut off at any point and run again. One at a time in the whole cluster.
 * @param options.budgetMs after which it stops at the next day
 * @returns true when there is more to do
 */
export async function foldSites(
  db: Db,
  now: Date,
  fold: FoldDay,
  { budgetMs }: { budgetMs: number },
): Promise<boolean> {
  const endsAt = performance.now() + budgetMs
  const { horizon, refreshedTo } = await horizonOf(db, now)
  const round: Round = { db, fold, horizon, hasTime: () => performance.now() < endsAt }
  if (refreshedTo !== horizon) {
    if (!(await growFolds(round))) return true
    await noteRefreshed(db, 'folds', new Date(horizon))
  }
  return !((await refoldMarked(round)) && (await foldPast(round)))
}

/**
 * Folds the days of a site's window anew that are folded, whether they are known to have changed or not.
 * As `foldSites` in everything else.
 */
export async function refoldWindow(
  db: Db,
  now: Date,
  fold: FoldDay,
  { siteNo, start, end }: Window & { siteNo: number },
): Promise<void> {
  const { horizon } = await horizonOf(db, now)
  const [span] = await findSpans(db, [siteNo])
  if (!span) return
  const from = Math.max(start, span.foldedFrom.getTime())
  for (const day of daysFrom(span.foldedZone, from, Math.min(end, horizon))) {
    await fold({ ...day, siteNo, zone: span.foldedZone, foldedTo: horizon, isAnew: true, marks: [] })
  }
}

/** @returns true when all of it was done */
async function growFolds(round: Round): Promise<boolean> {
  const { db, horizon, hasTime } = round
  for (const site of await selectSites(db, true)) {
    if (!hasTime()) return false
    const foldedFrom = await startSpan(round, site)
    if (foldedFrom === undefined) continue
    const { siteNo, timezone } = site
    const silence = `${SILENCE_MS} milliseconds`
    const open = await selectOpenFolds(db, siteNo, new Date(horizon), `${OPEN_MS} milliseconds`, silence)
    for (const { hasHits, ...day } of open) {
      if (hasHits)
        await round.fold({ ...day, siteNo, zone: timezone, foldedTo: horizon, isAnew: false, marks: [] })
      else await advanceFold(db, siteNo, new Date(day.start), new Date(day.end), new Date(horizon))
    }
    const [newest] = await findNewestFold(db, siteNo)
    for (const day of daysFrom(timezone, newest!.end ?? foldedFrom, horizon))
      await foldNewDay(round, site, day)
  }
  return true
}

/**
 * A site is folded from the day on on which it is seen first, and from there back. After a change of its time zone it
 * begins anew: its days are others.
 * @returns from when on it is folded; undefined while it has nothing to fold
 */
async function startSpan({ db, horizon }: Round, site: FoldedSite): Promise<number | undefined> {
  const { siteNo, timezone, firstEventAt, foldedZone, foldedFrom } = site
  if (foldedFrom && foldedZone === timezone) return foldedFrom.getTime()
  if (foldedFrom) await forgetFolds(db, siteNo)
  if (firstEventAt.getTime() >= horizon) return undefined
  const from = startOfDay(timezone, localDay(timezone, horizon - 1))
  await upsertSpan(db, siteNo, timezone, new Date(from))
  return from
}

async function foldNewDay(
  { db, fold, horizon }: Round,
  { siteNo, timezone }: FoldedSite,
  day: Window,
): Promise<void> {
  const until = new Date(Math.min(day.end, horizon))
  const [newest] = await findNewestHit(db, siteNo, new Date(day.start), until)
  if (newest!.at === null) await insertEmpty(db, siteNo, [day], horizon)
  else await fold({ ...day, siteNo, zone: timezone, foldedTo: horizon, isAnew: true, marks: [] })
}

/** @returns true when all of it was done */
async function refoldMarked({ db, fold, horizon, hasTime }: Round): Promise<boolean> {
  const marks = await selectDirty(db, 'folds', MAX_MARKS, null, null)
  if (marks.length === 0) return true
  const spans = await findSpans(db, [...new Set(marks.map(({ siteNo }) => siteNo))])
  const spanOf = new Map(spans.map(span => [span.siteNo, span]))
  const days = new Map<string, FoldedDay>()
  const note = (day: Window, zone: string, { siteNo, bucket, version }: Mark) => {
    const key = `${siteNo}/${day.start}/${day.end}`
    if (!days.has(key)) days.set(key, { ...day, siteNo, zone, foldedTo: horizon, isAnew: true, marks: [] })
    days.get(key)!.marks.push({ bucket: bucket.getTime(), version })
  }
  const outside: Mark[] = []
  for (const mark of marks) {
    const span = spanOf.get(mark.siteNo)
    const at = mark.bucket.getTime()
    if (!span || at < span.foldedFrom.getTime()) outside.push(mark)
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

/** @returns true when all of it was done */
async function foldPast(round: Round): Promise<boolean> {
  const { db, fold, horizon, hasTime } = round
  for (const site of await selectSites(db, false)) {
    const { siteNo, timezone, firstEventAt } = site
    let from = await startSpan(round, site)
    while (from !== undefined && from > firstEventAt.getTime()) {
      if (!hasTime()) return false
      const [newest] = await findNewestHit(db, siteNo, EARLIEST, new Date(from))
      const day = dayAround(timezone, newest!.at ?? firstEventAt.getTime())
      await insertEmpty(db, siteNo, [...daysFrom(timezone, day.end, from)], horizon)
      await fold({ ...day, siteNo, zone: timezone, foldedTo: horizon, isAnew: true, marks: [] })
      from = day.start
      await upsertSpan(db, siteNo, timezone, new Date(from))
    }
  }
  return true
}

async function insertEmpty(db: Db, siteNo: number, days: Window[], horizon: number): Promise<void> {
  if (days.length === 0) return
  const nobody = VisitorSet.from()
  await insertEmptyFolds(
    db,
    siteNo,
    days.map(day => new Date(day.start).toISOString()),
    days.map(day => new Date(day.end).toISOString()),
    new Date(horizon),
    nobody.serialize(),
  )
  nobody.free()
}

const takeOff = (db: Db, marks: Mark[]) =>
  deleteDirty(
    db,
    'folds',
    marks.map(mark => mark.siteNo),
    marks.map(mark => mark.bucket.getTime()),
    marks.map(mark => mark.version),
  )

function dayAround(zone: string, at: number): Window {
  const day = localDay(zone, at)
  return { start: startOfDay(zone, day), end: startOfDay(zone, day + 1) }
}

/** The local days that begin at `from` or later and before `end`; none twice where a zone left one out. */
function* daysFrom(zone: string, from: number, end: number): Generator<Window> {
  for (let day = dayAround(zone, from); day.start < end; day = dayAround(zone, day.end)) {
    if (day.start >= from) yield day
  }
}
