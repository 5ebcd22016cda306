import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { loadConfig } from '../src/config.ts'
import { withServices } from '../src/embedded/attach.ts'
import { connectDb, type Db } from '../src/infra/db.ts'
import { createLog } from '../src/infra/log.ts'
import { checkDatabase, migrate } from '../src/infra/migrate.ts'
import { isUuid } from '../src/sites/domain.ts'
import { findSite } from '../src/sites/find-site.ts'
import { bootstrap } from '../src/teams/bootstrap.ts'
import { setPlan } from '../src/teams/plans.ts'
import { PLANS, type Plan, ROLES, type Role } from '../src/teams/schema.ts'
import { createTeam } from '../src/teams/teams.ts'
import { createToken } from '../src/teams/tokens.ts'
import { createUser } from '../src/teams/users.ts'

// One JSON document on stdout; logs, and one line `error: …` on failure, on stderr.

const program = new Command('admin')
  .description('Administers the service; works while it runs.')
  .exitOverride()
  .configureOutput({ writeErr: () => {} })

program
  .command('bootstrap')
  .description('make the team "Default" with its owner, and, the first time, a token')
  .action(() => answer(db => bootstrap(db, new Date())))

program
  .command('team:create')
  .requiredOption('--name <name>', 'name of the team', text(255))
  .addOption(new Option('--plan <plan>', 'its plan').choices(PLANS).default('active'))
  .option('--trial-ends-at <time>', 'ISO 8601; 14 days from now unless said', time)
  .action((options: { name: string; plan: Plan; trialEndsAt?: Date }) =>
    answer(async db => ({ team_id: await createTeam(db, options, new Date()) })),
  )

program
  .command('team:plan')
  .requiredOption('--team <id>', 'id of the team', uuid)
  .addOption(new Option('--plan <plan>', 'its new plan').choices(PLANS).makeOptionMandatory())
  .option('--trial-ends-at <time>', 'ISO 8601; 14 days from now unless said', time)
  .action(({ team, ...options }: { team: string; plan: Plan; trialEndsAt?: Date }) =>
    answer(async db => {
      await setPlan(db, { teamId: team, ...options }, new Date())
      return { team_id: team, plan: options.plan }
    }),
  )

program
  .command('user:create')
  .requiredOption('--team <id>', 'id of the team', uuid)
  .requiredOption('--email <address>', 'e-mail address; of one the team has, the role is changed', email)
  .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory())
  .action(({ team, ...options }: { team: string; email: string; role: Role }) =>
    answer(async db => ({ user_id: await createUser(db, { teamId: team, ...options }) })),
  )

program
  .command('token:create')
  .requiredOption('--team <id>', 'id of the team', uuid)
  .requiredOption('--user <id>', 'id of the user it acts as', uuid)
  .option('--name <name>', 'what it is for', text(255), 'admin')
  .option('--site <site>', 'id or domain of a site it is limited to; may be repeated', collect)
  .option('--expires-at <time>', 'ISO 8601; never unless said', time)
  .action((options: { team: string; user: string; name: string; site?: string[]; expiresAt?: Date }) =>
    answer(async db => {
      const sites = options.site?.map(site => findSite(db, { teamId: options.team, siteIds: null }, site))
      const { id, token } = await createToken(db, {
        teamId: options.team,
        userId: options.user,
        name: options.name,
        siteIds: sites ? (await Promise.all(sites)).map(site => site.id) : null,
        expiresAt: options.expiresAt ?? null,
      })
      return { id, token }
    }),
  )

function text(max: number) {
  return (value: string) => {
    const points = [...value].length
    if (points < 1 || points > max) throw new InvalidArgumentError(`It must have 1 to ${max} characters.`)
    return value
  }
}

function uuid(value: string): string {
  if (!isUuid(value)) throw new InvalidArgumentError('It must be a UUID.')
  return value.toLowerCase()
}

function email(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 255) {
    throw new InvalidArgumentError('It must be an e-mail address.')
  }
  return value
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/

/** A date-time, or a date; UTC where no offset is given. */
function time(value: string): Date {
  const [, day = '', clock = 'T00:00', offset = 'Z'] = ISO_TIME.exec(value) ?? []
  const at = new Date(day + clock + offset)
  // `Date` takes 30 February for 2 March.
  const midnight = new Date(`${day}T00:00Z`)
  if (Number.isNaN(at.getTime()) || !midnight.toISOString().startsWith(day)) {
    throw new InvalidArgumentError('It must be an ISO 8601 time, such as 2030-01-31T12:00:00Z.')
  }
  return at
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Runs a command on the service's database and prints what it returns. */
async function answer(run: (db: Db) => Promise<object>): Promise<void> {
  const config = loadConfig()
  const log = createLog({ level: config.logLevel, role: 'admin', stderr: true })
  const onDatabase = async (url: string) => {
    const db = connectDb(url, { max: 2, name: 'analytics admin' })
    try {
      await checkDatabase(db)
      await migrate(db)
      return await run(db)
    } finally {
      await db.end({ timeout: 5 })
    }
  }
  const result = await withServices(config, log, ({ databaseUrl }) => onDatabase(databaseUrl))
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

try {
  await program.parseAsync()
} catch (error) {
  // Help that was asked for is no failure.
  if (!(error instanceof CommanderError && error.exitCode === 0)) {
    process.stderr.write(`error: ${oneLine(error)}\n`)
    process.exitCode = 1
  }
}

function oneLine(error: unknown): string {
  if (error instanceof CommanderError && error.code === 'commander.help')
    return 'no command given; try --help'
  const { message, code } = error as { message?: string; code?: string }
  return (message || code || 'unknown').replace(/^error: /, '').replace(/\s*\n\s*/g, '; ')
}
