import { type Command, InvalidArgumentError } from 'commander'
import { findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import { OWN_FORMAT } from '../../src/outgoing/transfer/imports/import-hit-file.ts'
import { recordCommand } from '../../src/outgoing/transfer/imports/record-command.ts'
import {
  IMPORT_FORMATS,
  IMPORT_KINDS,
  type KnownFormat,
} from '../../src/outgoing/transfer/imports/registry.ts'
import { unsharedTurn } from '../../src/outgoing/transfer/imports/turn.ts'
import { openLocalFile } from '../../src/outgoing/transfer/read/local-file.ts'
import { canonicalZone } from '../../src/platform/time/zones.ts'
import { withImportServices } from '../import-services.ts'
import { secondsSince, showProgress } from '../progress.ts'
import { refreshingLease, type Tools } from '../tools.ts'
import type { Answer } from './answer.ts'

interface Options {
  site: string
  file: string
  website?: string
  timezone: string
  dryRun?: boolean
}

/** Adds a command for each format of another product: `import:umami`. */
export function addImportCommands(admin: Command, answer: Answer): void {
  for (const format of IMPORT_FORMATS) {
    // Lines of this service itself have `hits:import`, which reads standard input, too.
    if (format.format === OWN_FORMAT) continue
    admin
      .command(`import:${format.format}`)
      .description(`read the history of ${format.title}; see docs/import.md. ${format.file}`)
      .requiredOption('--site <site>', 'id or domain of the site it is of')
      .requiredOption('--file <path>', 'the file')
      .option('--website <name>', 'the website, in files that hold several')
      .option('--timezone <zone>', 'IANA zone of times that name none', zone, 'UTC')
      .option('--dry-run', 'only say what would come')
      .action((options: Options) => answer(async (_db, tools) => importHistory(tools, format, options)))
  }
}

async function importHistory(
  tools: Tools,
  { kind, format, notes }: KnownFormat,
  { site: siteKey, file: path, website, timezone, dryRun: isDryRun = false }: Options,
): Promise<object> {
  const startedAt = performance.now()
  const site = await findSiteAnywhere(tools.db, siteKey)
  const file = await openLocalFile(path)
  const progress = showProgress(isDryRun ? 'checking' : 'importing')
  const onProgress = ({ part, note }: { part: number; note: string }) => progress.part(part, note)
  const lease = await refreshingLease(tools)
  const result = await withImportServices(tools, lease, services => {
    const run = (signal?: AbortSignal) =>
      IMPORT_KINDS[kind]!.run(services, {
        site,
        format,
        file,
        website,
        timezone,
        isDryRun,
        turn: unsharedTurn(signal),
        onProgress,
      })
    const { siteNo } = site
    const given = {
      siteNo,
      kind,
      format,
      website: website ?? null,
      timezone,
      fileName: file.name,
      bytes: file.bytes,
    }
    return isDryRun ? run() : recordCommand(tools.db, given, services, run)
  }).finally(progress.end)
  return { format, ...result, ...(isDryRun && { notes }), seconds: secondsSince(startedAt) }
}

function zone(value: string): string {
  const found = canonicalZone(value)
  if (!found) throw new InvalidArgumentError('It must be an IANA time zone, such as Europe/Berlin.')
  return found
}
