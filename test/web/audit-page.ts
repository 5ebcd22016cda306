import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const script = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Returns what is seriously wrong with a page for people who use it with a keyboard, a screen reader or in low contrast; empty for a good
 * page. Both themes are looked at.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const problems: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // The policy of the page forbids further scripts: evaluated code is not part of the page.
    if (!(await page.evaluate('typeof axe !== "undefined"'))) {
      await page.evaluate(readFileSync(script, 'utf8'))
    }
    const found = (await page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] })',
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
