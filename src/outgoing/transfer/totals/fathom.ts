import type { Dimension } from '../../../platform/dimensions/dimensions.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { formatDay, localDay } from '../../../platform/time/local-time.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import { type CsvRow, readCsv } from '../read/csv.ts'
import { refusal } from '../read/limits.ts'
import type { PackedFile } from '../read/packed-files.ts'
import { readTime } from '../read/times.ts'
import { calendarDay, cellText, decimal, seconds, share, wholeNumber } from './cells.ts'
import { columnsOf, countIn, type ReadNumber, tableOf } from './csv-table.ts'
import { hostOf, oneOf, PAGE, PLACES, splittingColumn, TIMES } from './fathom-columns.ts'
import type { TotalsFormat, TotalsOptions, TotalsTable } from './format.ts'
import { given, originOf } from './values.ts'

/** Exports of Fathom: a ZIP file with CSV files, or one of them. */
export const fathom: TotalsFormat = {
  title: 'Fathom',
  file: 'A CSV file that Fathom exports by hour or day, or a ZIP file with several.',
  notes: [
    "Fathom counts a visitor of the site once a day: its visits are both the site's visitors and its sessions.",
    'Bounces and lengths are made again from rates and means, rounded in each row.',
    'Pages of several hosts with the same path are added up.',
    'A table with a dimension that is not known is left out: its rows are not the totals of a day.',
    'Hours are put into the days of the time zone of this site; they are UTC unless said otherwise.',
  ],
  async open(files, options) {
    const tables: TotalsTable[] = []
    const unknown: string[] = []
    for (const file of files) {
      const columns = /\.csv$/i.test(file.name) ? await columnsOf(file) : undefined
      const time = columns && oneOf(columns, ...TIMES)
      if (time) tables.push(await openTable(file, columns, time, options))
      else if (columns || !/\.csv$/i.test(file.name)) unknown.push(file.name)
    }
    if (tables.length === 0) {
      throw refusal('the file holds no totals of Fathom: a CSV file needs a column Timestamp or Date')
    }
    return { tables, unknown }
  },
}

async function openTable(
  file: PackedFile,
  columns: Set<string>,
  time: string,
  options: TotalsOptions,
): Promise<TotalsTable> {
  const isByPage = oneOf(columns, ...PAGE) !== undefined
  const places = PLACES.flatMap(([dimension, names, map]) => {
    const column = oneOf(columns, ...names)
    // Totals by page answer questions for pages only when nothing else splits the hits of a visit.
    return column && !(isByPage && dimension === 'hostname')
      ? [{ dimension, value: (row: CsvRow) => map(cellText(row[column])) }]
      : []
  })
  const referrer = oneOf(columns, 'referrer hostname', 'referrer')
  if (referrer) {
    const page = oneOf(columns, 'referrer pathname')
    const pageOf = (row: CsvRow) => referrerOf(row[referrer], page && row[page])
    places.push(
      { dimension: 'source', value: row => originIn(row, columns, pageOf(row)).source },
      { dimension: 'channel', value: row => originIn(row, columns, pageOf(row)).channel },
      { dimension: 'referrer', value: pageOf },
    )
  }
  const dimensions = places.map(({ dimension }) => dimension)
  return tableOf({
    file,
    dimensions,
    values: row => places.map(({ value }) => value(row)),
    numbers: numbersOf(columns, dimensions),
    day: await dayReader(file, time, options),
    splitBy: splittingColumn(columns, dimensions.length > 0),
  })
}

function referrerOf(host: string | undefined, page: string | undefined): string {
  const path = cellText(page)
  return hostOf(given(cellText(host))) + (path === '/' ? '' : path)
}

function originIn(row: CsvRow, columns: Set<string>, referrer: string) {
  const tag = (name: string) => given(cellText(row[oneOf(columns, `utm ${name}`) ?? '']))
  return originOf({
    source: '',
    referrer,
    utmSource: tag('source'),
    utmMedium: tag('medium'),
    utmCampaign: tag('campaign'),
  })
}

function numbersOf(
  columns: Set<string>,
  dimensions: readonly Dimension[],
): Partial<Record<TotalsNumber, ReadNumber>> {
  const numbers: Partial<Record<TotalsNumber, ReadNumber>> = {}
  const put = (name: TotalsNumber, column: string | undefined) => {
    if (column) numbers[name] = countIn(column)
  }
  if (dimensions.includes('event_name')) {
    put('events', oneOf(columns, 'completions', 'conversions'))
    put('visitors', oneOf(columns, 'unique completions', 'unique conversions'))
    return numbers
  }
  put('pageviews', oneOf(columns, 'pageviews', 'views'))
  // Uniques are the visitors of a page; visits are those of the site.
  if (dimensions.includes('path') || dimensions.includes('hostname')) {
    put('visitors', oneOf(columns, 'uniques'))
    return numbers
  }
  const visits = oneOf(columns, 'visits')
  put('visitors', oneOf(columns, 'visitors') ?? visits)
  put('sessions', visits)
  const rate = oneOf(columns, 'bounce rate')
  const length = oneOf(columns, 'avg duration', 'average duration')
  const each = (row: CsvRow) => wholeNumber(row[visits!]) ?? 0
  if (visits && rate) {
    numbers.bounces = row => bouncesOf(row[rate], each(row))
  }
  if (visits && length) {
    numbers.duration_seconds = row => seconds((decimal(row[length]) ?? 0) * each(row))
  }
  return numbers
}

/** An hour without visits has no rate. */
function bouncesOf(rate: string | undefined, visits: number): number | undefined {
  if (visits === 0 || (rate ?? '').trim() === '') return 0
  const part = share(rate)
  return part === undefined ? undefined : Math.round(part * visits)
}

/** A file in which every time is midnight has days: they stay as they are. */
async function dayReader(
  file: PackedFile,
  column: string,
  { timezone, fileTimezone }: TotalsOptions,
): Promise<(row: CsvRow) => string | undefined> {
  const hasHours = await hasTimes(file, column)
  return row => {
    const cell = row[column]?.trim()
    if (!hasHours) return calendarDay(cell?.replace(/[T ]00:00(:00)?Z?$/, ''))
    const at = readTime(cell, fileTimezone)
    return at === undefined || at < 0 || at > LATEST ? undefined : formatDay(localDay(timezone, at))
  }
}

/** Later days have no calendar date here. */
const LATEST = Date.UTC(9998, 0, 1) - DAY_MS

async function hasTimes(file: PackedFile, column: string): Promise<boolean> {
  for await (const { row } of readCsv(file.read())) {
    if (/[T ](?!00:00)\d\d:\d\d/.test(row?.[column] ?? '')) return true
  }
  return false
}
