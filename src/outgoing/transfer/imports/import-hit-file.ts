import { checkHits } from '../../../ingestion/import/check-hits.ts'
import { type ImportProgress, importHits } from '../../../ingestion/import/import-hits.ts'
import type { Rejected } from '../../../ingestion/import/rejects.ts'
import type { Converter } from '../converters/converter.ts'
import { CONVERTERS } from '../converters/registry.ts'
import { peek } from '../read/bytes.ts'
import { beginsWithObject } from '../read/json-lines.ts'
import { refusal } from '../read/limits.ts'
import { filesIn } from '../read/packed-files.ts'
import type { SourceFile } from '../source-file.ts'
import type { ImportServices, ImportTask } from './import-kind.ts'
import { type FileSummary, sortHits } from './sort-hits.ts'

/** Share of a task that reading and sorting a file takes; storing takes the rest. */
const READING = { real: 0.15, dry: 0.6 }

/** What the import of a file brought, or would bring. */
export interface HitFileResult extends Partial<FileSummary> {
  dry_run: boolean
  /** Hits that are recorded, those of an earlier import included. */
  accepted: number
  /** Of these, hits that an earlier import had stored; only a dry run counts them. */
  repeated?: number
  /** Hits that live ingestion would drop, too. */
  dropped: number
  /** Hits that are not valid, by reason; of the first 1,000. */
  rejected: { reason: string; hits: number }[]
  rejected_total: number
}

/** Name of the lines of this service itself, which need no converter. */
export const OWN_FORMAT = 'hits'

/** Imports a file of another product, or of lines as `hits:import` takes them. */
export async function importHitFile(services: ImportServices, task: ImportTask): Promise<HitFileResult> {
  const converter = CONVERTERS[task.format]
  if (task.format !== OWN_FORMAT && !converter) throw refusal(`no such format: ${task.format}`)
  return converter ? importConverted(services, task, converter) : importOwn(services, task)
}

async function importConverted(
  services: ImportServices,
  task: ImportTask,
  converter: Converter,
): Promise<HitFileResult> {
  const { site, website, timezone, isDryRun, turn, onProgress } = task
  const share = isDryRun ? READING.dry : READING.real
  const file = watched(task.file, part => onProgress?.({ part: part * share, note: 'reading' }))
  const sort = { folder: services.folder, requireFreeDisk: services.requireFreeDisk, pass: turn.pass }
  const options = { domain: site.domain, timezone, sort, ...(website !== undefined && { website }) }
  const sorted = await sortHits(converter.convert(file, options), sort)
  try {
    const { summary } = sorted
    if (summary.rows === 0)
      throw refusal(`${task.file.name} has no row of the format ${converter.title}: bring ${converter.file}`)
    const onStored = ({ accepted, dropped, rejected_total }: ImportProgress) => {
      const done = (accepted + dropped + rejected_total) / Math.max(summary.hits_total, 1)
      onProgress?.({ part: share + done * (1 - share), note: `${accepted + dropped} hits` })
    }
    const result = await takeLines(services, task, sorted.lines(), task.format, onStored)
    return { ...summary, ...result }
  } finally {
    await sorted.close()
  }
}

/** Lines are in time order, and their identities stand in them: they go straight on. */
async function importOwn(services: ImportServices, task: ImportTask): Promise<HitFileResult> {
  let part = 0
  const files = await filesIn(
    watched(task.file, read => {
      part = read
    }),
  )
  if (files.length !== 1) throw refusal('the ZIP file must hold exactly one file of hits')
  const { first } = await peek(files[0]!.read(), 64)
  if (!beginsWithObject(first)) {
    throw refusal(`${task.file.name} is of another format: bring one JSON object a line (docs/import.md)`)
  }
  return takeLines(services, task, files[0]!.read(), undefined, ({ accepted, dropped }) =>
    task.onProgress?.({ part, note: `${accepted + dropped} hits` }),
  )
}

async function takeLines(
  services: ImportServices,
  { site, isDryRun, turn }: ImportTask,
  lines: AsyncIterable<Buffer>,
  importedAs: string | undefined,
  onProgress: (progress: ImportProgress) => void,
): Promise<HitFileResult> {
  const { db, refresher, log, geo, now, batchHits, requireFreeDisk } = services
  if (isDryRun) {
    const { rejected, ...checked } = await checkHits(site, lines, {
      db,
      geo,
      now,
      onProgress,
      pass: turn.pass,
    })
    return { dry_run: true, ...checked, rejected: byReason(rejected) }
  }
  const { rejected, ...imported } = await refresher.during(onWritten =>
    importHits(site, lines, {
      db,
      geo,
      log,
      now,
      batchHits,
      importedAs,
      requireFreeDisk,
      onWritten,
      onProgress,
      ...turn,
    }),
  )
  return { dry_run: false, ...imported, rejected: byReason(rejected) }
}

/** Numbers of lines would be those of the sorted file, which no person sees. */
function byReason(rejected: Rejected[]): HitFileResult['rejected'] {
  const counts = new Map<string, number>()
  for (const { error } of rejected) counts.set(error, (counts.get(error) ?? 0) + 1)
  return [...counts].map(([reason, hits]) => ({ reason, hits })).sort((a, b) => b.hits - a.hits)
}

/** Bytes between two files of a ZIP, at most. */
const HEADER_BYTES = 64 * 1024

/** Tells how much of a file was read, as far as it was read in order. */
function watched(file: SourceFile, onRead: (part: number) => void): SourceFile {
  let furthest = 0
  return {
    ...file,
    async *read(start = 0, end = file.bytes) {
      let position = start
      for await (const chunk of file.read(start, end)) {
        position += chunk.length
        // The end of a ZIP file is looked at first: only what follows on what was read counts.
        if (start <= furthest + HEADER_BYTES && position > furthest) {
          furthest = position
          onRead(furthest / file.bytes)
        }
        yield chunk
      }
    },
  }
}
