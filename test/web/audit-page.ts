import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const script = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The themes differ in their colors alone. */
const AUDITS = { light: {}, dark: { runOnly: ['color-contrast', 'link-in-text-block'] } }

/**
 * Returns what is seriously wrong with a page for people who use it with a keyboard, a screen reader or in low contrast; empty for a good
 * page. Both themes are looked at.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const problems: string[] = []
  for (const [colorScheme, options] of Object.entries(AUDITS) as ['light' | 'dark', object][]) {
    await page.emulateMedia({ colorScheme })
    // The policy of the page forbids further scripts: evaluated code is not part of the page.
    if (!(await page.evaluate('typeof axe !== "undefined"'))) {
      await page.evaluate(readFileSync(script, 'utf8'))
    }
    const found = (await page.evaluate(
      `axe.run(document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })})`,
    )) as axe.AxeResults
    for (const { id, impact, nodes } of found.violations) {
      if (impact !== 'serious' && impact !== 'critical') continue
      problems.push(
        ...nodes.map(node => `${colorScheme}: ${id}: ${node.target.join(' ')}: ${node.failureSummary}`),
      )
    }
  }
  return problems
}

/** Returns elements that stick out of a page to the right, so that it scrolls sideways. */
export const sticksOut = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/**
 * Returns what is wrong when the Tab key goes through a page: an element without a name, one that cannot be seen, or an order that is not that
 * of the page.
 */
async function focusProblems(page: Page): Promise<string[]> {
  // The first Tab starts at the beginning of the page, also where a field takes the focus by itself.
  await page.evaluate(
    `document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); window.focusedBefore = undefined`,
  )
  const problems: string[] = []
  const seen = new Set<string>()
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<{
      key: string
      text: string
      isVisible: boolean
      isAfter: boolean
    } | null>(FOCUSED)
    if (!focused || seen.has(focused.key)) break
    seen.add(focused.key)
    if (focused.text === '') problems.push(`${focused.key} has no name`)
    if (!focused.isVisible) problems.push(`${focused.key} (${focused.text}) is not visible`)
    if (!focused.isAfter)
      problems.push(`${focused.key} (${focused.text}) comes before the one that had the focus`)
  }
  return problems
}

/** Expects a page of any state to be good for people with screen readers and with phones, and to have no markup of visitors. */
export async function expectFit(page: Page, what?: string): Promise<void> {
  expect(await page.$('img[src=x], a[href^="javascript"]'), what).toBeNull()
  expect(await accessibilityProblems(page), what).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => sticksOut(page), what ? { message: what } : {}).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** The same for people with keyboards, too, on a page that may not complain. */
export async function expectGood(page: Page, complaints: string[], what?: string): Promise<void> {
  await expectFit(page, what)
  expect(await focusProblems(page), what).toEqual([])
  expect(complaints.splice(0), what).toEqual([])
}

const MOST_STEPS = 60

/** Describes the element that has the focus, and remembers it for the next step. */
const FOCUSED = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return null
  window.focusNumber = (window.focusNumber ?? 0) + 1
  element.dataset.focusNumber ??= String(window.focusNumber)
  const box = element.getBoundingClientRect()
  const before = window.focusedBefore
  window.focusedBefore = element
  const labels = element.labels ? [...element.labels].map(label => label.textContent).join(' ') : ''
  return {
    key: element.tagName.toLowerCase() + ' ' + element.dataset.focusNumber,
    text: (element.getAttribute('aria-label') || element.textContent || labels || element.title || '').trim().slice(0, 60),
    isVisible: box.width > 0 && box.height > 0,
    isAfter: !before || !before.isConnected || Boolean(before.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING),
  }
})()`
