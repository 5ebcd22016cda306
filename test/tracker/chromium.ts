import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'

/**
 * A headless browser calls itself one, and the service takes it for a crawler. Set for the whole browser: what a page
 * sends when it is left no longer knows the settings of its context.
 */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP *.example 127.0.0.1',
  `--user-agent=${USER_AGENT}`,
]

/** The system's browser, with an empty profile; every name under `.example` is this machine. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: onPath(['chromium']),
    // Tests go back to pages that the browser kept.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: ARGUMENTS,
  })
}

/** The same without windows, for pages that need nothing else of a browser: it takes half the time. */
export function startShell(): Promise<Browser> {
  return chromium.launch({
    executablePath: onPath(['chromium-headless-shell', 'chromium']),
    args: ARGUMENTS,
  })
}

/** A person with a browser of their own: nothing is shared with other contexts. */
export async function newPerson(
  browser: Browser,
  options: BrowserContextOptions = { viewport: { width: 1000, height: 500 } },
): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  // What is waited for comes within a second on an idle machine; a busy one takes its time.
  context.setDefaultTimeout(120_000)
  return context
}

function onPath(programs: string[]): string {
  for (const program of programs) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const file = join(folder, program)
      try {
        accessSync(file, constants.X_OK)
        return file
      } catch {}
    }
  }
  throw new Error(`${programs.at(-1)} is not on the PATH; scripts/test installs it`)
}
