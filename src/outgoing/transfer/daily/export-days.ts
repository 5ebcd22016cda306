import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Db } from '../../../platform/db/connect.ts'
import { exportHits } from '../export/export-hits.ts'
import { type DueDay, findDueDay, noteExportedDay } from './due-days.ts'
import { FailedDays } from './failed-days.ts'
import type { Target } from './target.ts'

export interface DailyExport {
  db: Db
  target: Target
  /** Folder of this service for files that are being written. */
  workFolder: string
  now: () => Date
}

export interface ExportedDays {
  days: number
  hits: number
  bytes: number
  /** Days that could not be exported. */
  failed: number
}

export interface DailyExportOptions {
  /** Only days of this site; null: of every site. */
  siteNo: number | null
  /** Stops it between two pages of hits. */
  signal: AbortSignal
  /** Days that are not tried yet. */
  failed?: FailedDays
  onDay?: (day: DueDay, total: ExportedDays) => void
  onFailure?: (day: DueDay, error: unknown) => void
}

/** With so many failures in a row, it is not the days: the bucket is away, or the disk is full. */
const MOST_FAILURES = 5

/**
 * Writes a Parquet file for each day that is over and whose hits have changed since it was last written: the hits of one site on one local
 * day, under `site={id}/date={day}/hits.parquet`. A day that fails is noted, and the others are taken. May be stopped at any point: a day
 * is due until its file is in place.
 * @throws an `AbortError` when it was stopped, and the error of a day after five failures in a row; the days before are exported
 */
export async function exportDays(
  given: DailyExport,
  { siteNo, signal, failed = new FailedDays(), onDay, onFailure }: DailyExportOptions,
): Promise<ExportedDays> {
  const { db, workFolder, now } = given
  const total = { days: 0, hits: 0, bytes: 0, failed: 0 }
  let failuresInRow = 0
  // A process that was killed has left a part of a file.
  await rm(workFolder, { recursive: true, force: true })
  await mkdir(workFolder, { recursive: true, mode: 0o700 })
  const file = join(workFolder, `${process.pid}.parquet`)
  try {
    while (!signal.aborted) {
      const day = await findDueDay(db, { siteNo, failed: failed.waiting(now()) })
      if (!day) break
      try {
        const { hits, bytes } = await exportDay(given, day, file, signal)
        failed.remove(day)
        failuresInRow = 0
        total.days += 1
        total.hits += hits
        total.bytes += bytes
        onDay?.(day, total)
      } catch (error) {
        if (signal.aborted) throw error
        failed.add(day, now())
        total.failed += 1
        failuresInRow += 1
        onFailure?.(day, error)
        if (failuresInRow === MOST_FAILURES) throw error
      }
    }
  } finally {
    await rm(file, { force: true })
  }
  return total
}

async function exportDay(
  { db, target, now }: DailyExport,
  day: DueDay,
  file: string,
  signal: AbortSignal,
): Promise<{ hits: number; bytes: number }> {
  const { siteId, isGone, ...key } = day
  // The bounds of a day that is gone may be those of another date in the zone now: an empty time is that of no day.
  if (isGone) key.endsAt = key.startsAt
  const written = await writeDay(db, key, file, signal)
  await target.put(`site=${siteId}/date=${day.day}/hits.parquet`, file)
  await noteExportedDay(db, { ...key, ...written, now: now() })
  return written
}

async function writeDay(
  db: Db,
  { siteNo, startsAt, endsAt }: Pick<DueDay, 'siteNo' | 'startsAt' | 'endsAt'>,
  file: string,
  signal: AbortSignal,
): Promise<{ hits: number; bytes: number }> {
  const written = { hits: 0, bytes: 0 }
  const onHits = (count: number) => {
    written.hits += count
  }
  async function* pieces() {
    const span = { siteNo, start: startsAt, end: endsAt, isWhole: false }
    for await (const piece of exportHits(db, { ...span, format: 'parquet', onHits })) {
      written.bytes += piece.length
      yield piece
    }
  }
  await pipeline(pieces, createWriteStream(file, { mode: 0o600 }), { signal })
  return written
}
