import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Db } from '../../db/connect.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { exportHits } from '../export/export-hits.ts'
import { type DueDay, findDayToExport, noteExportedDay } from './due-days.ts'
import type { Target } from './target.ts'

/** A day is exported this long after its end: by then, most of its sessions are over, and its late hits are there. */
const SETTLED_MS = 2 * HOUR_MS

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
}

/**
 * Writes a Parquet file for each day that is over and whose hits have changed since it was last written: the hits of one site on one local
 * day, under `site={id}/date={day}/hits.parquet`. May be stopped at any point: a day is due until its file is in place.
 * @param options.siteNo only days of this site; null: of every site
 * @param options.signal stops it between two pages of hits
 * @throws what the target throws, and an `AbortError` when it was stopped; the days before are exported
 */
export async function exportDays(
  { db, target, workFolder, now }: DailyExport,
  options: { siteNo: number | null; signal: AbortSignal; onDay?: (day: DueDay, total: ExportedDays) => void },
): Promise<ExportedDays> {
  const { siteNo, signal, onDay } = options
  const total = { days: 0, hits: 0, bytes: 0 }
  // A process that was killed has left a part of a file.
  await rm(workFolder, { recursive: true, force: true })
  await mkdir(workFolder, { recursive: true, mode: 0o700 })
  const file = join(workFolder, `${process.pid}.parquet`)
  try {
    while (!signal.aborted) {
      const [day] = await findDayToExport(db, { siteNo, endedBefore: new Date(now().getTime() - SETTLED_MS) })
      if (!day) break
      const { hits, bytes } = await writeDay(db, day, file, signal)
      await target.put(`site=${day.siteId}/date=${day.day}/hits.parquet`, file)
      const { siteNo: no, startsAt, endsAt, version } = day
      await noteExportedDay(db, { siteNo: no, startsAt, endsAt, version, hits, bytes, now: now() })
      total.days += 1
      total.hits += hits
      total.bytes += bytes
      onDay?.(day, total)
    }
  } finally {
    await rm(file, { force: true })
  }
  return total
}

async function writeDay(
  db: Db,
  { siteNo, startsAt, endsAt }: DueDay,
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
