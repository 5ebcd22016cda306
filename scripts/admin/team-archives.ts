import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { announceSiteChange } from '../../src/access/sites/change-site.ts'
import { exportTeam } from '../../src/outgoing/transfer/archive/export-team.ts'
import { openArchive } from '../../src/outgoing/transfer/archive/open-archive.ts'
import { restoreTeam } from '../../src/outgoing/transfer/archive/restore/restore-team.ts'
import { openLocalFile } from '../../src/outgoing/transfer/read/local-file.ts'
import { VERSION } from '../../src/platform/config/config.ts'
import { writeFileOf } from '../export-file.ts'
import { withImportServices } from '../import-services.ts'
import { uuid } from '../options.ts'
import { secondsSince, showProgress } from '../progress.ts'
import { refreshingLease } from '../tools.ts'
import type { Answer } from './answer.ts'

/** Adds the commands that move a whole team from one database to another. */
export function addTeamArchiveCommands(admin: Command, answer: Answer): void {
  admin
    .command('team:export')
    .description('write a team with all of its sites as one archive; see docs/export.md')
    .requiredOption('--team <id>', 'id of the team', uuid)
    .requiredOption('--file <path>', 'the tar file to write; - for standard output')
    .action(({ team, file }: { team: string; file: string }) =>
      answer(async db => {
        const startedAt = performance.now()
        const counts = { files: 0, rows: 0 }
        const pieces = exportTeam(db, {
          teamId: team,
          productVersion: VERSION,
          now: new Date(),
          folder: file === '-' ? tmpdir() : dirname(file),
          onFile({ rows }) {
            counts.files += 1
            counts.rows += rows
          },
        })
        const bytes = await writeFileOf(file, pieces)
        const result = { ...counts, bytes, seconds: secondsSince(startedAt) }
        if (file !== '-') return result
        process.stderr.write(`${JSON.stringify(result)}\n`)
        return undefined
      }),
    )

  admin
    .command('team:import')
    .description('restore the team of an archive; may be stopped and run again')
    .requiredOption('--file <path>', 'the archive that team:export wrote')
    .option('--team <id>', 'a team that gets the sites; by default the team of the archive is made', uuid)
    .action(({ team, file }: { team?: string; file: string }) =>
      answer(async (_db, tools) => {
        const startedAt = performance.now()
        const archive = await openArchive(await openLocalFile(file))
        const redis = await tools.redis()
        const lease = await refreshingLease(tools)
        const progress = showProgress('restoring')
        const total = archive.files.reduce((sum, { kind, rows }) => sum + (kind === 'hits' ? rows : 0), 0)
        const restored = await withImportServices(tools, lease, services =>
          restoreTeam(services, archive, {
            teamId: team,
            onHits: (domain, { accepted }) => progress.part(accepted / total, `${domain}: ${accepted} hits`),
            onSite: trackingKey => announceSiteChange({ redis, log: tools.log }, trackingKey),
          }),
        ).finally(progress.end)
        return { ...restored, seconds: secondsSince(startedAt) }
      }),
    )
}
