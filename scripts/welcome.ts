import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap } from '../src/access/teams/accounts.ts'
import { loadConfig } from '../src/platform/config/config.ts'
import { connectDb } from '../src/platform/db/connect.ts'
import { withServices } from '../src/platform/embedded/attach.ts'
import { createLog } from '../src/platform/runtime/log.ts'

/** Waits until the service of this configuration is ready and prints the first steps; `scripts/start` runs it. */
const config = loadConfig()
const local = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`

while (!(await isReady())) await sleep(100)
const { token, setup_url: setupUrl } = await withServices(
  config,
  createLog({ level: 'warn', role: 'welcome', stderr: true }),
  async addresses => {
    const db = connectDb(addresses.databaseUrl, { max: 1, name: 'analytics-welcome' })
    try {
      return await bootstrap(db, config, new Date())
    } finally {
      await db.end({ timeout: 5 })
    }
  },
)
process.stdout.write(token ? firstSteps(token) : `==> Ready at ${config.baseUrl}\n${setupStep()}`)

function setupStep(): string {
  if (setupUrl === null) return ''
  return `
Open this link in a browser and choose a password: you are the owner, and the page shows how to track your first site.
It works once and for a day; another start prints a new one.

  ${setupUrl}
`
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`${local}/readyz`)).ok
  } catch {
    return false
  }
}

function firstSteps(token: string): string {
  return `==> Ready at ${config.baseUrl}

The team "Default" is there.
${setupStep()}
A site full of made-up data, to look around (in another terminal; takes less than a minute):

  npm run demo

The owner's token for programs, shown only this once:

  TOKEN=${token}

Paste, line by line, into another terminal: a site, its first hit, its first number.

  TOKEN=${token}
  SITE=$(curl -s ${local}/api/sites -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"domain": "example.com", "timezone": "UTC"}'); echo "$SITE"
  KEY=$(echo "$SITE" | sed 's/.*"tracking_key":"\\([^"]*\\)".*/\\1/')
  curl -si ${local}/api/collect -A 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' -d '{"key": "'"$KEY"'", "hostname": "example.com", "url": {"path": "/", "title": "Home"}}'
  sleep 2; curl -s ${local}/api/sites/example.com/overview -H "Authorization: Bearer $TOKEN"

Ctrl-C stops the service; everything it knows is in ${config.dataDir}.
`
}
