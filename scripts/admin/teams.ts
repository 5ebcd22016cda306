import { type Command, Option } from 'commander'
import { bootstrap, createTeam, createUser, setPlan } from '../../src/access/teams/accounts.ts'
import {
  DEFAULT_SCOPES,
  PLANS,
  type Plan,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
} from '../../src/access/teams/caller.ts'
import { createToken } from '../../src/access/teams/create-token.ts'
import { collect, email, text, time, uuid } from '../options.ts'
import type { Answer } from './answer.ts'
import { siteIdsOf } from './find-sites.ts'

interface NewTokenOptions {
  team: string
  user: string
  name: string
  site?: string[]
  scope?: Scope[]
  expiresAt?: Date
}

/** Adds the commands for teams, users and tokens. */
export function addTeamCommands(admin: Command, answer: Answer): void {
  admin
    .command('bootstrap')
    .description(
      'make the team "Default" with its owner, the first time a token, and a link with which the owner sets up their login',
    )
    .action(() => answer((db, { config }) => bootstrap(db, config, new Date())))

  admin
    .command('team:create')
    .requiredOption('--name <name>', 'name of the team', text(255))
    .addOption(new Option('--plan <plan>', 'its plan').choices(PLANS).default('active'))
    .option('--trial-ends-at <time>', 'ISO 8601; by default 14 days from now', time)
    .action((options: { name: string; plan: Plan; trialEndsAt?: Date }) =>
      answer(async db => ({ team_id: await createTeam(db, options, new Date()) })),
    )

  admin
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

  admin
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

  admin
    .command('token:create')
    .requiredOption('--team <id>', 'id of the team', uuid)
    .requiredOption('--user <id>', 'id of the user it acts as', uuid)
    .option('--name <name>', 'name of the token', text(255), 'admin')
    .option('--site <site>', 'id or domain of a site that the token is limited to; may be repeated', collect)
    .addOption(
      new Option(
        '--scope <scope...>',
        'what the token may do; may be repeated; by default read, write and ingest',
      ).choices(SCOPES),
    )
    .option('--expires-at <time>', 'ISO 8601; by default it never expires', time)
    .action((options: NewTokenOptions) =>
      answer(async db => {
        const { team: teamId, user: userId, name, scope, expiresAt = null } = options
        const siteIds = await siteIdsOf(db, teamId, options.site)
        const scopes = SCOPES.filter(each => (scope ?? DEFAULT_SCOPES).includes(each))
        const token = { teamId, userId, name, siteIds, scopes, expiresAt }
        const made = await createToken(db, token, new Date())
        return { id: made.id, token: made.token }
      }),
    )
}
