import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { projectRoot } from '../src/platform/config/config.ts'
import { openBrowser } from './bench/browser.ts'
import { onEnd, withCleanup } from './bench/command.ts'
import { limitsFar, startService } from './bench/service.ts'
import { bootstrapOwner } from './bench/sign-in.ts'

// Takes pictures of the web interface, filled by `npm run demo` in a service of its own: those of the README, or all pages.

interface Picture {
  name: string
  path: string
  theme?: 'light' | 'dark'
  width?: number
  height?: number
}

const SITE = '/sites/demo.example'
const RANGE = '?range=last_30_days'

const README: Picture[] = [
  { name: 'overview', path: `${SITE}${RANGE}`, height: 1_000 },
  { name: 'money', path: `${SITE}/money${RANGE}`, theme: 'dark', height: 1_000 },
  { name: 'phone', path: `${SITE}${RANGE}`, width: 390, height: 844 },
]

/** Pages by the last part of their pictures' names. */
const PAGES: Record<string, string> = {
  sites: '/?period=30d',
  overview: `${SITE}${RANGE}`,
  filtered: `${SITE}${RANGE}&channel=AI+Assistants&compare=previous_year`,
  today: `${SITE}?range=today`,
  money: `${SITE}/money?range=last_12_months`,
  funnels: `${SITE}/funnels${RANGE}`,
  journeys: `${SITE}/journeys${RANGE}`,
  retention: `${SITE}/retention?range=last_12_months`,
  people: `${SITE}/people${RANGE}`,
  events: `${SITE}/events${RANGE}`,
  titles: `${SITE}/titles${RANGE}`,
  errors: `${SITE}/errors${RANGE}`,
  'web-vitals': `${SITE}/web-vitals${RANGE}`,
  live: `${SITE}/live`,
  goals: `${SITE}/goals`,
  install: `${SITE}/install`,
  settings: `${SITE}/settings`,
  sharing: `${SITE}/settings/sharing`,
  team: '/team',
  account: '/account',
  new: '/new',
  missing: '/sites/nothing.example',
}

const everyPage = (): Picture[] =>
  Object.entries(PAGES).flatMap(([name, path]) => [
    { name: `${name}-light`, path },
    { name: `${name}-dark`, path, theme: 'dark' as const },
    { name: `${name}-phone`, path, width: 360, height: 760 },
  ])

const command = new Command('screenshots')
  .description('takes pictures of the web interface with made-up data')
  .option('--all', 'of every page, light, dark and as on a phone, whole pages')
  .option('--out <folder>', 'where to', join(projectRoot, 'docs', 'pictures'))
  .option('--only <name>', 'only pictures whose name begins with it', '')
  .parse()

await withCleanup(async () => {
  const { all, out, only } = command.opts<{ all?: boolean; out: string; only: string }>()
  const folder = resolve(out)
  mkdirSync(folder, { recursive: true })
  const data = mkdtempSync(join(tmpdir(), 'analytics-pictures-'))
  onEnd(() => rmSync(data, { recursive: true, force: true }))
  const service = await startService({ data }, limitsFar)
  const cookie = await bootstrapOwner(service)
  await fillDemo(data)
  const browser = await openBrowser()
  const pictures = (all ? everyPage() : README).filter(({ name }) => name.startsWith(only))
  for (const { name, path, ...view } of pictures) {
    await browser.picture(join(folder, `${name}.png`), `${service.url}${path}`, {
      ...view,
      cookie,
      isWhole: all === true,
    })
    process.stdout.write(`${name}\n`)
  }
})

async function fillDemo(data: string): Promise<void> {
  const demo = spawn(process.execPath, [join(projectRoot, 'dist', 'scripts', 'demo.js')], {
    env: { ...process.env, DATA_DIR: data },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(demo, 'exit')
  if (code !== 0) throw new Error(`the demo ended with ${code}`)
}
