import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { onEnd } from './command.ts'

/** A page is complete when it has not changed for so long. */
const QUIET_MS = 700
const PATIENCE_MS = 30_000
const POLL_MS = 100

export interface Visitor {
  /** Whether each load begins with an empty cache. */
  isCold?: boolean
  /** `name=value` of the session. */
  cookie?: string
  /** What local storage has before the page is loaded. */
  storage?: Record<string, string>
}

export interface View extends Pick<Visitor, 'cookie'> {
  theme?: 'light' | 'dark'
  width?: number
  height?: number
  /** The whole page instead of what fits the window. */
  isWhole?: boolean
}

/** Records when the document changed last. It runs before the scripts of the page. */
const WATCH = `
  window.changedAt = 0
  new MutationObserver(() => { window.changedAt = performance.now() })
    .observe(document, { subtree: true, childList: true, characterData: true })
`

/** Starts the system's Chromium; it is closed at the end. */
export async function openBrowser() {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  onEnd(() => browser.close())

  async function visitor(url: string, { cookie, storage }: Visitor): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    await context.addInitScript(WATCH)
    if (storage) {
      const lines = Object.entries(storage).map(
        ([key, value]) => `localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
      )
      await context.addInitScript(lines.join('\n'))
    }
    await addCookie(context, url, cookie)
    return context
  }

  return {
    /** Saves a picture of a page once it is complete. */
    async picture(file: string, url: string, view: View): Promise<void> {
      const { theme = 'light', width = 1_280, height = 900, cookie, isWhole } = view
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        locale: 'en-GB',
        deviceScaleFactor: isWhole ? 1 : 1.5,
        reducedMotion: 'reduce',
      })
      await context.addInitScript(WATCH)
      await addCookie(context, url, cookie)
      const page = await newPage(context)
      await page.goto(url)
      await lastChange(page, 0)
      await page.screenshot({ path: file, fullPage: isWhole ?? false })
      await context.close()
    },

    /** Returns milliseconds from the start of each navigation to the last change of the page. */
    async time(loads: number, url: string, who: Visitor): Promise<number[]> {
      const times: number[] = []
      let context = await visitor(url, who)
      // The first load warms the caches of the server.
      for (let load = 0; load <= loads; load += 1) {
        if (who.isCold) {
          await context.close()
          context = await visitor(url, who)
        }
        const page = await newPage(context)
        await page.goto(url)
        const time = await lastChange(page, 0)
        if (load > 0) times.push(time)
        await page.close()
      }
      await context.close()
      return times
    },

    /** Clicks on the first country: milliseconds to the new numbers, and of the slowest read among them. */
    async timeFilter(
      clicks: number,
      url: string,
      cookie: string,
    ): Promise<{ total: number; slowest: number }[]> {
      const context = await visitor(url, { cookie })
      const times: { total: number; slowest: number }[] = []
      for (let click = 0; click <= clicks; click += 1) {
        const page = await newPage(context)
        await page.goto(url)
        await lastChange(page, 0)
        const row = await page.waitForSelector('[aria-label="Countries"] ol button')
        const startedAt = await page.evaluate<number>('performance.now()')
        await row.click()
        const total = (await lastChange(page, startedAt)) - startedAt
        const slowest = await page.evaluate<number>(
          `Math.max(...performance.getEntriesByType('resource')
            .filter(({ name, startTime }) => name.includes('/trpc/') && startTime > ${startedAt})
            .map(({ duration }) => duration))`,
        )
        if (click > 0) times.push({ total, slowest })
        await page.close()
      }
      await context.close()
      return times
    },
  }
}

async function addCookie(context: BrowserContext, url: string, cookie: string | undefined): Promise<void> {
  const [name, value] = cookie?.split('=') ?? []
  if (name && value) await context.addCookies([{ name, value, url: new URL(url).origin }])
}

const openRequests = new WeakMap<Page, Set<Request>>()

/** Opens a page whose requests are followed. */
async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  const open = new Set<Request>()
  openRequests.set(page, open)
  page.on('request', request => open.add(request))
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', request => open.delete(request))
  }
  return page
}

/** Waits until the page has been quiet and waits for nothing, and returns when it changed last, in milliseconds since its navigation. */
async function lastChange(page: Page, after: number): Promise<number> {
  const giveUpAt = Date.now() + PATIENCE_MS
  while (Date.now() < giveUpAt) {
    const [changedAt, now] = await page.evaluate<[number, number]>('[window.changedAt, performance.now()]')
    const isWaiting = (openRequests.get(page)?.size ?? 0) > 0
    if (changedAt > after && now - changedAt > QUIET_MS && !isWaiting) return changedAt
    await sleep(POLL_MS)
  }
  throw new Error(`${page.url()} still changes after ${PATIENCE_MS / 1000} s`)
}

function chromiumPath(): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, 'chromium')
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {}
  }
  throw new Error('chromium is not on the PATH; scripts/test installs it')
}
