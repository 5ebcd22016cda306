import type { Command } from 'commander'
import { disableLogin, enableLogin, listLogins, makeLoginLink } from '../../src/access/teams/manage-logins.ts'
import { email } from '../options.ts'
import type { Answer } from './answer.ts'

/** Adds the commands for logins. */
export function addLoginCommands(admin: Command, answer: Answer): void {
  admin
    .command('login:list')
    .description('list who can sign in')
    .action(() => answer(async db => ({ logins: await listLogins(db) })))

  admin
    .command('login:reset')
    .description(
      'make a link that lets a person back in: it replaces the password and removes the second factor, or sets up a login; see docs/operations.md',
    )
    .requiredOption('--email <address>', 'e-mail address of the login, or of a user without one', email)
    .action((options: { email: string }) =>
      answer((db, { config }) => makeLoginLink(db, config, options.email, new Date())),
    )

  admin
    .command('login:disable')
    .description('end all sessions of a login, and refuse new ones and its tokens')
    .requiredOption('--email <address>', 'e-mail address of the login', email)
    .action((options: { email: string }) => answer(db => disableLogin(db, options.email, new Date())))

  admin
    .command('login:enable')
    .description('let a person sign in again')
    .requiredOption('--email <address>', 'e-mail address of the login', email)
    .action((options: { email: string }) => answer(db => enableLogin(db, options.email, new Date())))
}
