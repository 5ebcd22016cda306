import { limitTime } from '../../../platform/lib/time-budget.ts'
import { dayOf, startOfDay } from '../../../platform/time/local-time.ts'
import type { FormatDescription, ImportKind, ImportServices, ImportTask } from '../imports/import-kind.ts'
import type { SourceFile } from '../source-file.ts'
import { importTotals, type TotalsResult } from './import-totals.ts'
import { TOTALS_FORMATS, type TotalsFormatName } from './registry.ts'
import { REMOVAL_MS, removeFormat } from './store.ts'

/** Totals of days, which other products counted. */
export const totalsKind: ImportKind = {
  formats: Object.fromEntries(
    Object.entries(TOTALS_FORMATS).map(([name, { title, file, notes }]): [string, FormatDescription] => [
      name,
      { title: `${title} (totals)`, file, notes },
    ]),
  ),
  run: importTotalsFile,
  async undo({ db }, { siteNo, format, turn }) {
    for (let isMore = true; isMore; ) {
      isMore = await removeFormat(db, { siteNo, format }, limitTime(REMOVAL_MS))
      await turn.pass()
    }
  },
}

async function importTotalsFile(services: ImportServices, task: ImportTask): Promise<object> {
  const { site, format, timezone, isDryRun, turn, onProgress } = task
  let read = 0
  const result = await importTotals(services, site, {
    format: format as TotalsFormatName,
    file: watched(task.file, bytes => {
      read += bytes
    }),
    fileTimezone: timezone,
    isDryRun,
    async onProgress(rows) {
      await turn.pass()
      if (!isDryRun) await services.requireFreeDisk()
      // The file is read more than once: for its tables, for its fingerprint, and for its rows.
      onProgress?.({ part: Math.min(0.99, read / (2 * task.file.bytes)), note: `${rows} rows` })
    },
  })
  return { dry_run: isDryRun, ...outcomeOf(result, site.timezone), ...result }
}

/** The part of a result that imports of all kinds have. */
function outcomeOf({ from, to, tables, rows, left }: TotalsResult, zone: string) {
  const startOf = (day: string) => new Date(startOfDay(zone, dayOf(day))).toISOString()
  const site = tables.find(({ dimensions }) => dimensions.length === 0)
  return {
    period: { from: startOf(from), to: startOf(to) },
    counts: { rows, tables: tables.length, ...site?.totals },
    left_total: left.reduce((sum, reason) => sum + reason.rows, 0),
  }
}

/** Tells how many bytes are read. */
const watched = (file: SourceFile, onRead: (bytes: number) => void): SourceFile => ({
  ...file,
  async *read(start, end) {
    for await (const chunk of file.read(start, end)) {
      onRead(chunk.length)
      yield chunk
    }
  },
})
