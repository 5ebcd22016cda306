import { type Command, Option } from 'commander'
import { findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import { exportHits, HIT_FORMATS, type HitFormat } from '../../src/outgoing/transfer/export/export-hits.ts'
import { ROW_KINDS } from '../../src/outgoing/transfer/export/schema.ts'
import { type Days, spanOf } from '../../src/outgoing/transfer/export/span.ts'
import { type RowKind, readRows } from '../../src/outgoing/transfer/rows/read-rows.ts'
import { writeFileOf } from '../export-file.ts'
import { day } from '../options.ts'
import { secondsSince, showProgress } from '../progress.ts'
import type { Answer } from './answer.ts'

/** Adds the commands that take data out. With `--file -` the data is on stdout, and the answer on stderr. */
export function addSiteExportCommands(admin: Command, answer: Answer): void {
  admin
    .command('export:hits')
    .description('write all hits of a site with their sessions; see docs/export.md')
    .requiredOption('--site <site>', 'id or domain of the site')
    .option('--from <date>', 'first day, in the zone of the site; by default everything', day)
    .option('--to <date>', 'last day, included', day)
    .addOption(
      new Option('--format <format>', 'jsonl is what hits:import takes')
        .choices(HIT_FORMATS)
        .default('jsonl'),
    )
    .requiredOption('--file <path>', 'the file to write; - for standard output')
    .action((options: Days & { site: string; format: HitFormat; file: string }) =>
      answer(async db => {
        const { from, to, format, file } = options
        if (from !== undefined && to !== undefined && from > to) throw new Error('--from is later than --to')
        const startedAt = performance.now()
        const site = await findSiteAnywhere(db, options.site)
        const span = spanOf(site, { from, to }, new Date())
        const first = Math.max(span.start.getTime(), site.firstEventAt?.getTime() ?? 0)
        const progress = showProgress('exporting')
        let hits = 0
        const onHits = (count: number, at: Date) => {
          hits += count
          progress.part((at.getTime() - first) / (span.end.getTime() - first), `${hits} hits`)
        }
        const pieces = exportHits(db, { ...span, format, onHits })
        const bytes = await writeFileOf(file, pieces).finally(progress.end)
        return said(file, { hits, bytes, seconds: secondsSince(startedAt) })
      }),
    )

  admin
    .command('export:rows')
    .description('write the settings, definitions or money of a site as JSON lines')
    .requiredOption('--site <site>', 'id or domain of the site')
    .addOption(new Option('--kind <kind>', 'what to write').choices(ROW_KINDS).makeOptionMandatory())
    .requiredOption('--file <path>', 'the file to write; - for standard output')
    .action(({ kind, file, ...options }: { site: string; kind: RowKind; file: string }) =>
      answer(async db => {
        const { siteNo } = await findSiteAnywhere(db, options.site)
        let rows = 0
        async function* pieces() {
          for await (const lines of readRows(db, { siteNo, userId: null }, kind)) {
            rows += lines.length
            yield Buffer.from(`${lines.join('\n')}\n`)
          }
        }
        const bytes = await writeFileOf(file, pieces())
        return said(file, { rows, bytes })
      }),
    )
}

/** Where the file itself is on stdout, the answer goes to stderr. */
function said(file: string, result: object): object | undefined {
  if (file !== '-') return result
  process.stderr.write(`${JSON.stringify(result)}\n`)
  return undefined
}
