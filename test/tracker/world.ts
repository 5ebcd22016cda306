import { randomUUID } from 'node:crypto'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import { startLocalServer } from '../support/local-server.ts'
import { eventually, startService, type TestService } from '../support/service.ts'
import { newPerson, startShell } from './chromium.ts'
import { startPatientProxy } from './patient-proxy.ts'

/** A hit as it was stored, in the columns that the tests look at. */
export interface Row {
  type: string
  name: string
  url: string
  title: string
  hostname: string
  referrer: string
  source: string
  language: string
  screen: number | null
  props: Record<string, string> | null
  scroll: number | null
  ms: number | null
  amount: string | null
  currency: string | null
  error: string | null
  stack: string | null
  file: string | null
  line: string | null
  visitor: string
}

export interface SiteOptions {
  /** Further attributes of the script's tag. */
  attributes?: string
  /** Of every page of the site. */
  head?: string
  body?: string
  /** Address of the script on the service. */
  script?: string
  trackErrors?: boolean
  trackVitals?: boolean
  trackReplay?: boolean
  excludedPaths?: string[]
  mode?: 'cookieless' | 'cookie'
  /** Another than a name of its own. */
  hostname?: string
}

export interface Site {
  no: number
  key: string
  origin: string
  /** Loads a page of the site as somebody new, or as the one who is given. */
  open(path?: string, person?: BrowserContext): Promise<Page>
  /** What is stored of the site once there are at least that many rows, or after a minute; in the order of their times. */
  stored(count: number): Promise<Row[]>
  /** What is stored of the site when everything that was sent before is. */
  storedAfterAll(): Promise<Row[]>
}

export interface World {
  service: TestService
  /** Origin of the service as pages see it. */
  analytics: string
  person(options?: BrowserContextOptions): Promise<BrowserContext>
  site(options?: SiteOptions): Promise<Site>
}

/** Where hits come from that only show that those before them are stored. */
const LAST = 'last.example'

/** Paths that a page asks for whose address fits, from when this is called. */
export function countLoads(page: Page, address: RegExp): string[] {
  const paths: string[] = []
  page.on('request', request => {
    if (address.test(request.url())) paths.push(new URL(request.url()).pathname)
  })
  return paths
}

let shared: Promise<World> | undefined

/** The world that test files of the same worker share; it ends with the worker. */
export function sharedWorld(): World {
  const world = {} as World
  beforeAll(async () => {
    shared ??= startWorld()
    Object.assign(world, await shared)
  })
  return world
}

/** The real service, which also serves the tracker below `/t`, a real browser, and sites whose pages carry the tracker. */
async function startWorld(): Promise<World> {
  const proxy = await startPatientProxy()
  const analytics = `http://analytics.example:${proxy.port}`
  const [service, browser] = await Promise.all([
    startService({ TRACKER_PATH: '/t', BASE_URL: analytics }),
    startShell(),
  ])
  proxy.target = service.url
  const pages = new Map<string, (path: string) => string>()
  const { port } = await startLocalServer((request, response) => {
    const path = request.url!.split('?')[0]!
    const html = pages.get(request.headers.host!.split(':')[0]!)?.(path)
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html ?? 'elsewhere')
  })

  async function site(options: SiteOptions = {}): Promise<Site> {
    const { script = '/js/script.js', mode = 'cookieless', excludedPaths = [] } = options
    const { trackErrors = false, trackVitals = false, trackReplay = false } = options
    const { hostname = `${randomUUID()}.example` } = options
    const [{ no, key }] = (await service.db`
      insert into sites (
        team_id, domain, track_errors, track_web_vitals, track_session_replay, replay_excluded_paths, tracking_mode
      )
      values (
        ${service.teamId}, ${randomUUID()}, ${trackErrors}, ${trackVitals}, ${trackReplay}, ${excludedPaths}, ${mode}
      )
      returning site_no as no, tracking_key as key`) as unknown as [{ no: number; key: string }]
    const tag = `<script defer src="${analytics}${script}" data-key="${key}" ${options.attributes ?? ''}></script>`
    pages.set(
      hostname,
      path => `<!doctype html><html><head><title>Page ${path}</title>
        <link rel="icon" href="data:,">${options.head ?? ''}${tag}</head>
        <body style="margin: 0">${options.body ?? ''}</body></html>`,
    )
    const origin = `http://${hostname}:${port}`
    const rows = () => readRows(service, no)
    return {
      no,
      key,
      origin,
      async open(path = '/', person) {
        const page = await (person ?? (await newPerson(browser))).newPage()
        await page.goto(origin + path)
        return page
      },
      async stored(count) {
        let all: Row[] = []
        await eventually(async () => {
          all = await rows()
          return all.length >= count
        }).catch(() => {})
        // Of fewer, the test says better than a time limit what is missing.
        return all
      },
      async storedAfterAll() {
        const last = randomUUID()
        await fetch(`http://127.0.0.1:${proxy.port}/api/event`, {
          method: 'POST',
          body: JSON.stringify({ key, hostname: LAST, name: last, visitor_id: randomUUID() }),
        })
        await eventually(async () => {
          const [row] = await service.db`select 1 from events where site_no = ${no} and name = ${last}`
          return row !== undefined
        })
        return rows()
      },
    }
  }

  return { service, analytics, person: options => newPerson(browser, options), site }
}

async function readRows({ db }: TestService, siteNo: number): Promise<Row[]> {
  return db<Row[]>`
    select e.type, e.name, case when e.url = '' then e.path || e.query else e.url end as url, e.title, e.hostname,
      e.referrer, e.source, s.language, nullif(split_part(s.screen, 'x', 1), '')::int as screen,
      e.props, e.scroll::int as scroll, e.engaged_ms::int as ms, e.revenue_minor::text as amount,
      e.revenue_currency as currency, e.error_message as error, e.error_stack as stack, e.error_file as file,
      e.error_line as line, v.id as visitor
    from events e
    left join visitors v using (visitor_no)
    left join sessions s on s.session_no = e.session_no
    where e.site_no = ${siteNo} and e.hostname <> ${LAST}
    order by e.at, e.id`
}
