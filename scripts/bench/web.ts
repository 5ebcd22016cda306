import { openBrowser } from './browser.ts'
import { benchCommand, numberOption, withCleanup } from './command.ts'
import { LARGE_SITE, limitsFar, startService, type Target } from './service.ts'
import { signInForBench } from './sign-in.ts'
import { figure, formatTable, loadLine, machineLine, median } from './table.ts'

// Times the overview page in a browser on a seeded database, and optionally the same page of Umami on the same machine.

interface Options extends Target {
  loads: number
  range: string
  umami?: string
  umamiWebsite?: string
  umamiUser: string
}

const command = benchCommand(
  'web',
  'times the overview in a browser on a database that bench:seed has filled',
)
  .addOption(numberOption('--loads <count>', 'loads of each kind', [3, 100]).default(7))
  .option('--range <range>', 'range of the overview', 'last_30_days')
  .option('--umami <url>', 'address of a running Umami whose website has the same hits')
  .option('--umami-website <id>', 'id of that website')
  .option('--umami-user <name:password>', 'who signs in there', 'admin:umami')
  .parse()

await withCleanup(async () => {
  const { loads, range, umami, umamiWebsite, umamiUser, ...target } = command.opts<Options>()
  const service = await startService(target, limitsFar)
  const cookie = await signInForBench(service)
  const browser = await openBrowser()
  const page = `${service.url}/sites/${LARGE_SITE}?range=${range}`
  const rows = [
    ['overview, first visit', await browser.time(loads, page, { isCold: true, cookie })],
    ['overview, visited before', await browser.time(loads, page, { cookie })],
  ] as [string, number[]][]
  const clicks = await browser.timeFilter(loads, page, cookie)
  rows.push(['click on a country: new numbers', clicks.map(({ total }) => total)])
  rows.push(['of it the slowest read', clicks.map(({ slowest }) => slowest)])
  if (umami !== undefined && umamiWebsite !== undefined) {
    const token = await umamiToken(umami, umamiUser)
    const peer = `${umami}/websites/${umamiWebsite}?date=30day`
    const storage = { 'umami.auth': JSON.stringify(token) }
    rows.push(['Umami, first visit', await browser.time(loads, peer, { isCold: true, storage })])
    rows.push(['Umami, visited before', await browser.time(loads, peer, { storage })])
  }
  const table = formatTable(
    ['page', 'median ms', 'fastest', 'slowest'],
    rows.map(([name, times]) => [
      name,
      ...[median(times), Math.min(...times), Math.max(...times)].map(time => figure(Math.round(time))),
    ]),
  )
  process.stdout.write(
    `${machineLine(new Date())}\n${loads} loads each, from the start of the navigation to the last change of the page. At the end ${loadLine()}.\n\n${table}\n`,
  )
})

async function umamiToken(url: string, user: string): Promise<string> {
  const [username, password] = user.split(':')
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (!answer.ok) throw new Error(`Umami answers ${answer.status} to the sign-in`)
  return ((await answer.json()) as { token: string }).token
}
