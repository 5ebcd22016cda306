import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { normalizeDomain } from '../src/access/sites/domain.ts'
import { isIanaZone } from '../src/platform/time/zones.ts'
import { daysOf, type Filled, type FillOptions, figure, fillDemo } from './demo/fill.ts'
import { type Owner, ownerOf } from './demo/site.ts'
import { uuid, wholeNumber } from './options.ts'
import { oneLine, type Surroundings, type Tools, withTools } from './tools.ts'

// Fills a site with made-up visits and subscriptions, so that every page of the service has something to show.

interface Options extends FillOptions {
  team?: string
}

const MOST_DAYS = 365

function commandLine(stdout: Surroundings['stdout']): Command {
  return new Command('demo')
    .description('Makes a site full of made-up visits and subscriptions. Works while the service runs.')
    .exitOverride()
    .configureOutput({ writeOut: text => void stdout.write(text), writeErr: () => {} })
    .option('--domain <domain>', 'name of the site, below .example', exampleDomain, 'demo.example')
    .option('--days <count>', 'days of visits up to now', wholeNumber(1, MOST_DAYS), 90)
    .option('--seed <number>', 'of the random numbers', wholeNumber(0, 999_999), 1)
    .option('--timezone <zone>', 'time zone of the site', zone, 'UTC')
    .option('--team <id>', 'team that gets the site; the first one unless given', uuid)
    .option('--replace', 'delete the site that is there, with all that it has, and make it anew', false)
}

/** Only names that cannot be those of a website: `--replace` deletes the site. */
function exampleDomain(value: string): string {
  const domain = normalizeDomain(value)
  if (!domain?.endsWith('.example')) throw new InvalidArgumentError('It must end with .example.')
  return domain
}

function zone(value: string): string {
  if (!isIanaZone(value))
    throw new InvalidArgumentError('It must be an IANA time zone, such as Europe/Berlin.')
  return value
}

/**
 * Fills a site.
 * @param now the end of the visits, in the past
 * @returns the exit code
 */
export async function runDemo(args: string[], given: Surroundings, now = new Date()): Promise<number> {
  const { env, stdout, stderr } = given
  try {
    const { team, ...options } = commandLine(stdout).parse(args, { from: 'user' }).opts<Options>()
    const say = (step: string) => void stdout.write(`==> ${step}\n`)
    const fill = async (tools: Tools) => {
      const { db, config } = tools
      const owner = await ownerOf(db, config, team, now)
      const filled = await fillDemo(tools, owner, { ...options, now }, say)
      stdout.write(report(filled, `${config.baseUrl}/sites/${options.domain}`) + access(owner))
    }
    await withTools({ LOG_LEVEL: 'warn', ...env }, 'demo', fill, say)
  } catch (error) {
    // `--help` is not a failure.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    stderr.write(`error: ${oneLine(error)}\n`)
    return 1
  }
  return 0
}

function report(filled: Filled, url: string): string {
  const { days, hits, pageviews, sessions, visitors, payments, subscribed, mrr } = filled
  const dollars = figure(Math.round(mrr / 100))
  return `==> Ready in ${Math.round(filled.seconds)} s: ${url}

${figure(hits)} hits of ${daysOf(days)}: ${figure(pageviews)} pageviews, ${figure(sessions)} sessions, ${figure(visitors)} visitors.
${figure(payments)} payments; now ${figure(subscribed)} customers with ${dollars} USD of MRR. All of it is made up.
`
}

function access({ token, setupUrl, hasLogin }: Owner): string {
  if (setupUrl !== null) {
    return `
Open this link within a day to set up the login of the owner. It works once.

  ${setupUrl}

The owner's token, shown only this once:

  TOKEN=${token}
`
  }
  if (hasLogin) return ''
  return `
The owner has no login yet: open the link that the start of the service printed. \`npm run -s admin -- bootstrap\` prints a new one.
`
}

const started = process.argv[1]
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  // Ignores write errors of a closed terminal: SIGHUP then stops the running command in order.
  process.stderr.on('error', () => {})
  process.exitCode = await runDemo(process.argv.slice(2), process)
}
