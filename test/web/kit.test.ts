import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { serveKit } from '../../scripts/kit.js'
import { projectRoot } from '../../src/platform/config/config.ts'
import { newPerson, startShell } from '../tracker/chromium.ts'
import { sticksOut } from './audit-page.ts'
import { complaintsOf, newPage, startVisit } from './visit.ts'

const folder = join(projectRoot, 'src', 'web')
const pictures = process.env.KIT_PICTURES

/** Components of the kits, except those that are loaded when another one opens. */
const KITS = ['parts', 'chart'].flatMap(part =>
  readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.tsx') && !/-panel\.tsx$/.test(name))
    .flatMap(name => [
      ...readFileSync(join(folder, part, name), 'utf8').matchAll(
        /^export (?:default )?(?:function|const) ([A-Z][a-z]\w+)/gm,
      ),
    ])
    .map(([, name]) => name!),
)
/** Parts of a chart, which `TimeChart` shows. */
const WITHIN = ['Plot', 'Readout', 'SeriesTable']

/** Elements whose content is wider than they are, though they neither scroll nor cut it. */
const OVERFLOWING = `[...document.querySelectorAll('section, header, fieldset, form, [role=dialog], [role=menu]')]
  .filter(each => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === 'visible')
  .map(each => each.tagName + ' ' + (each.ariaLabel ?? each.className))`

async function openKit(size: { width: number; height: number }, theme: 'light' | 'dark') {
  const kit = await serveKit()
  const browser = await startShell()
  onTestFinished(async () => {
    await browser.close()
    await kit.stop()
  })
  const context = await newPerson(browser, { viewport: size, colorScheme: theme, locale: 'en-GB' })
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  await page.goto(kit.address)
  await page.waitForSelector('[data-kits]')
  return { page, complaints }
}

async function expectInside(page: Page, what: string) {
  expect(await sticksOut(page), what).toBe(false)
  expect(await page.evaluate(OVERFLOWING), what).toEqual([])
}

async function take(page: Page, name: string) {
  const picture = await page.screenshot({
    fullPage: true,
    ...(pictures && { path: join(pictures, `${name}.png`) }),
  })
  expect(picture.length).toBeGreaterThan(10_000)
}

test.each([
  ['a desk', { width: 1440, height: 900 }, 'light'],
  ['a phone', { width: 360, height: 740 }, 'dark'],
] as const)('kit: each recipe is on the page, and fits %s', async (name, size, theme) => {
  const { page, complaints } = await openKit(size, theme)
  const shown = await page.$$eval('[data-kits]', all =>
    all.flatMap(each => each.getAttribute('data-kits')!.split(' ')),
  )
  expect(KITS.filter(kit => !WITHIN.includes(kit) && !shown.includes(kit))).toEqual([])
  expect(await page.getByRole('heading', { name: 'Dark' }).count()).toBe(1)
  await expectInside(page, name)
  await take(page, name.replace(' ', '-'))
  for (const button of await page.$$('[data-opens]')) {
    const what = (await button.getAttribute('data-opens'))!
    await button.click()
    await page.waitForSelector('[role=dialog], [role=menu]')
    await expectInside(page, what)
    await take(page, `${name.replace(' ', '-')}-${what}`)
    await page.keyboard.press('Escape')
    await page.waitForSelector('[role=dialog], [role=menu]', { state: 'detached' })
  }
  expect(complaints).toEqual([])
})

test('kit: the page is in no build, and the service does not have it', async () => {
  const visit = await startVisit()
  onTestFinished(() => visit.close())
  const page = await newPage(visit)
  expect((await page.goto(`${visit.origin}/dev/kit`))!.status()).toBe(404)
  const built = join(projectRoot, 'dist', 'web')
  const files = readdirSync(built).filter(name => /\.(js|css|json)$/.test(name))
  const texts = files.map(name => readFileSync(join(built, name), 'utf8'))
  expect(texts.filter(text => text.includes('kit.example') || text.includes('src/web/dev'))).toEqual([])
})
