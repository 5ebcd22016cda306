import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError } from 'commander'
import { answering } from './admin/answer.ts'
import { addExportCommands } from './admin/exports.ts'
import { addHitCommands } from './admin/hits.ts'
import { addImportCommands } from './admin/imports.ts'
import { addLoginCommands } from './admin/logins.ts'
import { addMoneyCommands } from './admin/money.ts'
import { addSiteExportCommands } from './admin/site-exports.ts'
import { addTeamArchiveCommands } from './admin/team-archives.ts'
import { addTeamCommands } from './admin/teams.ts'
import { addTotalsCommands } from './admin/totals.ts'
import { oneLine, type Surroundings } from './tools.ts'

// Prints one JSON document on stdout. Logs go to stderr, and so does one line `error: …` on failure.

/** Of the run in progress. */
let surroundings: Surroundings = process

const program = new Command('admin')
  .description('Administers the service; works while it runs.')
  .exitOverride()
  .configureOutput({ writeOut: text => void surroundings.stdout.write(text), writeErr: () => {} })

const answer = answering(() => surroundings)
const SUBJECTS = [
  addTeamCommands,
  addLoginCommands,
  addHitCommands,
  addImportCommands,
  addSiteExportCommands,
  addTeamArchiveCommands,
  addTotalsCommands,
  addExportCommands,
  addMoneyCommands,
]
for (const add of SUBJECTS) add(program, answer)

/**
 * Runs one command; one at a time.
 * @returns the exit code
 */
export async function runAdmin(args: string[], given: Surroundings): Promise<number> {
  surroundings = given
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // `--help` is not a failure.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    given.stderr.write(`error: ${oneLine(error)}\n`)
    return 1
  }
  return 0
}

const started = process.argv[1]
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  // Ignores write errors of a closed terminal: SIGHUP then stops the running command in order.
  process.stderr.on('error', () => {})
  process.exitCode = await runAdmin(process.argv.slice(2), process)
}
