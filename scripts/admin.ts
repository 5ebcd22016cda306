import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError, Option } from 'commander'
import type { Db } from '../src/db/connect.ts'
import { listDeadLetters, retryDeadLetters } from '../src/ingestion/store/dead-letters.ts'
import { purgePayments } from '../src/revenue/ledger/change-payment.ts'
import { reconcileMrr } from '../src/revenue/subscriptions/reconcile-mrr.ts'
import { findSite, findSiteAnywhere } from '../src/sites/find-site.ts'
import { type BackfillOptions, backfill } from '../src/stats/backfill.ts'
import { bootstrap, createTeam, createUser, setPlan } from '../src/teams/accounts.ts'
import { disableLogin, enableLogin, listLogins, makeLoginLink } from '../src/teams/manage-logins.ts'
import { PLANS, type Plan, ROLES, type Role, SCOPES, type Scope } from '../src/teams/schema.ts'
import { createToken } from '../src/teams/tokens.ts'
import { importFile } from './import-file.ts'
import { collect, currency, day, email, text, time, uuid, wholeNumber } from './options.ts'
import { secondsSince, showProgress } from './progress.ts'
import { oneLine, refreshingLease, type Surroundings, type Tools, withTools } from './tools.ts'

// Prints one JSON document on stdout. Logs go to stderr, and so does one line `error: …` on failure.

/** Of the run in progress. */
let surroundings: Surroundings = process

const program = new Command('admin')
  .description('Administers the service; works while it runs.')
  .exitOverride()
  .configureOutput({ writeOut: text => void surroundings.stdout.write(text), writeErr: () => {} })

program
  .command('bootstrap')
  .description(
    'make the team "Default" with its owner, the first time a token, and a link with which the owner sets up their login',
  )
  .action(() => answer((db, { config }) => bootstrap(db, config, new Date())))

program
  .command('team:create')
  .requiredOption('--name <name>', 'name of the team', text(255))
  .addOption(new Option('--plan <plan>', 'its plan').choices(PLANS).default('active'))
  .option('--trial-ends-at <time>', 'ISO 8601; by default 14 days from now', time)
  .action((options: { name: string; plan: Plan; trialEndsAt?: Date }) =>
    answer(async db => ({ team_id: await createTeam(db, options, new Date()) })),
  )

program
  .command('team:plan')
  .requiredOption('--team <id>', 'id of the team', uuid)
  .addOption(new Option('--plan <plan>', 'its new plan').choices(PLANS).makeOptionMandatory())
  .option('--trial-ends-at <time>', 'ISO 8601; by default 14 days from now', time)
  .action(({ team, ...options }: { team: string; plan: Plan; trialEndsAt?: Date }) =>
    answer(async db => {
      await setPlan(db, { teamId: team, ...options }, new Date())
      return { team_id: team, plan: options.plan }
    }),
  )

program
  .command('user:create')
  .requiredOption('--team <id>', 'id of the team', uuid)
  .requiredOption(
    '--email <address>',
    'e-mail address; changes the role of a user that the team has already',
    email,
  )
  .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory())
  .option(
    '--site <site>',
    'id or domain of a site that a member or viewer is limited to; may be repeated; by default every site',
    collect,
  )
  .action(({ team, email, role, site }: { team: string; email: string; role: Role; site?: string[] }) =>
    answer(async db => {
      const siteIds = await siteIdsOf(db, team, site)
      return { user_id: await createUser(db, { teamId: team, email, role, siteIds }) }
    }),
  )

program
  .command('token:create')
  .requiredOption('--team <id>', 'id of the team', uuid)
  .requiredOption('--user <id>', 'id of the user it acts as', uuid)
  .option('--name <name>', 'name of the token', text(255), 'admin')
  .option('--site <site>', 'id or domain of a site that the token is limited to; may be repeated', collect)
  .addOption(
    new Option('--scope <scope...>', 'what the token may do; may be repeated; by default everything').choices(
      SCOPES,
    ),
  )
  .option('--expires-at <time>', 'ISO 8601; by default it never expires', time)
  .action((options: NewTokenOptions) =>
    answer(async db => {
      const { team: teamId, user: userId, name, scope, expiresAt = null } = options
      const siteIds = await siteIdsOf(db, teamId, options.site)
      const scopes = SCOPES.filter(each => !scope || scope.includes(each))
      const token = { teamId, userId, name, siteIds, scopes, expiresAt }
      const made = await createToken(db, token, new Date())
      return { id: made.id, token: made.token }
    }),
  )

program
  .command('login:list')
  .description('list who can sign in')
  .action(() => answer(async db => ({ logins: await listLogins(db) })))

program
  .command('login:reset')
  .description(
    'make a link that lets a person back in: it replaces the password and removes the second factor, or sets up a login; see README.md',
  )
  .requiredOption('--email <address>', 'e-mail address of the login, or of a user without one', email)
  .action((options: { email: string }) =>
    answer((db, { config }) => makeLoginLink(db, config, options.email, new Date())),
  )

program
  .command('login:disable')
  .description('end all sessions of a login, and refuse new ones and its tokens')
  .requiredOption('--email <address>', 'e-mail address of the login', email)
  .action((options: { email: string }) => answer(db => disableLogin(db, options.email, new Date())))

program
  .command('login:enable')
  .description('let a person sign in again')
  .requiredOption('--email <address>', 'e-mail address of the login', email)
  .action((options: { email: string }) => answer(db => enableLogin(db, options.email, new Date())))

program
  .command('hits:import')
  .description('read hits of the past, one JSON object a line, in time order; see docs/import.md')
  .requiredOption('--site <site>', 'id or domain of the site they are of')
  .requiredOption('--file <path>', 'the file; - for standard input')
  .action((options: { site: string; file: string }) =>
    answer(async (_db, tools) => importFile({ ...tools, lease: await refreshingLease(tools) }, options)),
  )

program
  .command('rollups:backfill')
  .description('refresh the aggregates and rollups of a range of days; changes no number')
  .option('--site <site>', 'id or domain; by default every site')
  .option('--from <date>', 'first day, in the zone of the site; by default that of its first event', day)
  .option('--to <date>', 'last day; by default today', day)
  .action((options: BackfillOptions) =>
    answer(async (db, tools) => {
      const startedAt = performance.now()
      const lease = await refreshingLease(tools)
      const progress = showProgress('rolling up')
      const done = await backfill({ db, lease, now: () => new Date() }, options, progress.part).finally(
        progress.end,
      )
      return { ...done, seconds: secondsSince(startedAt) }
    }),
  )

program
  .command('dead-letters:list')
  .description('show hits that could not be stored, and why; the newest first')
  .option('--site <site>', 'id or domain; by default every site')
  .option('--limit <count>', 'maximum number of hits', wholeNumber(1, 10_000), 100)
  .action((options: { site?: string; limit: number }) =>
    answer(async db => {
      const siteNo = await siteNoOf(db, options.site)
      const { total, letters } = await listDeadLetters(db, { siteNo, limit: options.limit })
      return {
        total,
        dead_letters: letters.map(({ id, siteId, at, reason, payload, failedAt }) => ({
          id,
          site_id: siteId,
          at,
          reason,
          failed_at: failedAt,
          payload,
        })),
      }
    }),
  )

program
  .command('dead-letters:retry')
  .description('store hits again that could not be stored; run it after their cause is fixed')
  .option('--site <site>', 'id or domain; by default every site')
  .action((options: { site?: string }) =>
    answer(async (db, { log }) => retryDeadLetters(db, await siteNoOf(db, options.site), log)),
  )

program
  .command('payments:purge')
  .description('delete all payments of a site in one currency, so that the site can have another')
  .requiredOption('--site <site>', 'id or domain')
  .requiredOption('--currency <code>', 'ISO 4217, upper case', currency)
  .action((options: { site: string; currency: string }) =>
    answer(async db => {
      const site = await findSiteAnywhere(db, options.site)
      return { deleted: await purgePayments(db, site, options.currency) }
    }),
  )

program
  .command('revenue:reconcile')
  .description('compare the MRR of the ledger with what the payment processor says now; changes nothing')
  .requiredOption('--site <site>', 'id or domain of the site')
  .action((options: { site: string }) =>
    answer(async (db, { config }) => {
      const { siteId } = await findSiteAnywhere(db, options.site)
      return reconcileMrr({ db, config }, siteId)
    }),
  )

/** Returns the ids of a team's sites; null when no site is given. */
async function siteIdsOf(db: Db, teamId: string, sites: string[] | undefined): Promise<string[] | null> {
  if (!sites) return null
  const found = await Promise.all(sites.map(site => findSite(db, { teamId, siteIds: null }, site)))
  return found.map(({ id }) => id)
}

interface NewTokenOptions {
  team: string
  user: string
  name: string
  site?: string[]
  scope?: Scope[]
  expiresAt?: Date
}

/** Returns the number of a site; null when no site is given. */
async function siteNoOf(db: Db, site: string | undefined): Promise<number | null> {
  return site === undefined ? null : (await findSiteAnywhere(db, site)).siteNo
}

/** Runs a command on the service's database and prints what it returns. */
async function answer(run: (db: Db, tools: Tools) => Promise<object>): Promise<void> {
  const { env, stdout } = surroundings
  const result = await withTools(env, 'admin', tools => run(tools.db, tools))
  stdout.write(`${JSON.stringify(result)}\n`)
}

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
