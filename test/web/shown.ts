import type { Page } from 'playwright-core'

/** Figures of a page by their names: the value, its exact form, and what it was before. */
export const figuresOn = (page: Page): Promise<Record<string, string[]>> =>
  page.$$eval('main strong[title]', values =>
    Object.fromEntries(
      values.map(value => [
        value.parentElement!.querySelector('span')!.textContent,
        [
          value.textContent,
          value.getAttribute('title')!,
          value.parentElement!.querySelector('small[title]')?.getAttribute('title') ?? '',
        ],
      ]),
    ),
  )

/** The table of the chart: names of its columns, and its rows. */
export const chartOn = (page: Page): Promise<string[][]> =>
  page.$$eval('figure table tr', trs =>
    trs.map(tr => [...tr.querySelectorAll('th, td')].map(cell => cell.textContent)),
  )

/** The first value of each row of the chart. */
export const seriesOn = async (page: Page) => (await chartOn(page)).slice(1).map(row => row[1])

/** Rows of a card: name, and the exact numbers. */
export const cardOn = (page: Pick<Page, '$$eval'>, card: string): Promise<string[][]> =>
  page.$$eval(`section[aria-label="${card}"] ol li`, items =>
    items.map(item => [
      item.querySelector('bdi')!.textContent,
      ...[...item.querySelectorAll('span[title]')].map(span => span.getAttribute('title')!),
    ]),
  )

/** Cells of the rows of a table, without those that are pictures alone. */
export const tableOn = (page: Page, table: string): Promise<string[][]> =>
  page.$$eval(`${table} tbody tr`, trs =>
    trs.map(tr => [...tr.querySelectorAll('th, td:not([aria-hidden])')].map(cell => cell.textContent)),
  )

/** A fact of a page by its label. */
export const factOn = (page: Page, label: string) => page.textContent(`dt:text-is("${label}") + dd`)
