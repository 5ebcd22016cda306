import { dayOf, formatDay } from '../../../platform/time/local-time.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import type { CsvRow } from '../read/csv.ts'
import { refusal } from '../read/limits.ts'
import { calendarDay, cellText, decimal, seconds, share, wholeNumber } from './cells.ts'
import { columnsOf, countIn, type ReadNumber, tableOf } from './csv-table.ts'
import type { TotalsFormat, TotalsTable } from './format.ts'
import { COUNTS, MEDIUM, PLACES, SOURCE, SOURCE_MEDIUM, splittingColumn } from './ga4-columns.ts'
import { type Section, sectionsOf } from './ga4-sections.ts'
import { given, originOf } from './values.ts'

/** Events that the product counts by itself: visits and pageviews have their own numbers. */
const AUTOMATIC = new Set(['page_view', 'session_start', 'first_visit', 'user_engagement'])

/** Reports of Google Analytics 4 by day: answers of its Data API as CSV, and downloads of its reports. */
export const ga4: TotalsFormat = {
  title: 'Google Analytics 4',
  file: 'A CSV file with a column date (of the Data API, or a report with the dimension Date), or a ZIP file with several.',
  notes: [
    'A session bounces there when it was not engaged, also with several pageviews; so imported days have other bounce rates.',
    'Bounces and lengths are made again from rates and means, rounded in each row.',
    'Regions are left out: reports have their names instead of their codes.',
    'A table with a dimension that is not known, such as the page title, is left out: its rows are not the totals of a day.',
    'The events page_view, session_start, first_visit and user_engagement are left out.',
    'Days are those of the time zone of the property.',
  ],
  async open(files) {
    const tables: TotalsTable[] = []
    const unknown: string[] = []
    for (const file of files) {
      const sections = /\.csv$/i.test(file.name) ? await sectionsOf(file) : []
      const before = tables.length
      // One after the other: each reads the file from its start.
      for (const section of sections) {
        const table = await openTable(section)
        if (table) tables.push(table)
      }
      if (tables.length === before) unknown.push(file.name)
    }
    if (tables.length === 0) {
      throw refusal(
        'the file holds no totals by day: add the dimension Date to the report, or date to the request of the Data API',
      )
    }
    return { tables, unknown }
  },
}

/** @returns undefined for a table without days */
async function openTable({ comments, file }: Section): Promise<TotalsTable | undefined> {
  const columns = await columnsOf(file)
  if (!columns) return undefined
  const one = (names: readonly string[]) => names.find(name => columns.has(name))
  const day = dayReader(columns, comments)
  if (!day) return undefined
  const places = PLACES.flatMap(([dimension, names, map]) => {
    const column = one(names)
    return column ? [{ dimension, value: (row: CsvRow) => map(cellText(row[column])) }] : []
  })
  const [source, medium, both] = [one(SOURCE), one(MEDIUM), one(SOURCE_MEDIUM)]
  const origin = originReader(source, medium, both)
  if (origin) {
    places.push({ dimension: 'source', value: row => origin(row).source })
    // A channel follows from the medium: without one, clicks on ads would be those of a search.
    if (medium || both) {
      places.push(
        { dimension: 'channel', value: row => origin(row).channel },
        { dimension: 'utm_medium', value: row => origin(row).medium },
      )
    }
  } else if (medium) places.push({ dimension: 'utm_medium', value: row => given(cellText(row[medium])) })
  const dimensions = places.map(({ dimension }) => dimension)
  const numbers = numbersOf(one, dimensions.includes('event_name'))
  if (Object.keys(numbers).length === 0) return undefined
  const nameOf = one(['eventname', 'event name'])
  return tableOf({
    file,
    dimensions,
    values: row => places.map(({ value }) => value(row)),
    numbers,
    day,
    splitBy: splittingColumn(columns, places.length > 0),
    leave: row =>
      nameOf && AUTOMATIC.has(cellText(row[nameOf])) ? 'an event that is counted by itself' : undefined,
  })
}

/** `Nth day` counts from the start of the report, which a comment names. */
function dayReader(
  columns: Set<string>,
  comments: readonly string[],
): ((row: CsvRow) => string | undefined) | undefined {
  if (columns.has('date')) return row => calendarDay(row.date)
  const start = calendarDay(
    comments.map(comment => /^start date:\s*(\d{8})/i.exec(comment)?.[1]).findLast(found => found),
  )
  if (!start || !columns.has('nth day')) return undefined
  return row => {
    const nth = wholeNumber(row['nth day']?.replace(/^0+(?=\d)/, ''))
    return nth === undefined || nth > 100_000 ? undefined : formatDay(dayOf(start) + nth)
  }
}

function originReader(
  source: string | undefined,
  medium: string | undefined,
  both: string | undefined,
): ((row: CsvRow) => { source: string; channel: string; medium: string }) | undefined {
  if (!source && !both) return undefined
  return row => {
    const [from = '', by = ''] = both
      ? cellText(row[both]).split(' / ')
      : [cellText(row[source!]), medium ? cellText(row[medium]) : '']
    const utmMedium = given(by)
    const found = originOf({
      source: given(from),
      referrer: '',
      utmSource: '',
      utmMedium,
      utmCampaign: '',
    })
    return { ...found, medium: utmMedium }
  }
}

function numbersOf(
  one: (names: readonly string[]) => string | undefined,
  isOfEvents: boolean,
): Partial<Record<TotalsNumber, ReadNumber>> {
  const numbers: Partial<Record<TotalsNumber, ReadNumber>> = {}
  for (const [name, names] of COUNTS) {
    const column = one(names)
    if (column) numbers[name] = countIn(column)
  }
  const events = one(['eventcount', 'event count'])
  if (isOfEvents) {
    const { visitors } = numbers
    return { ...(visitors && { visitors }), ...(events && { events: countIn(events) }) }
  }
  const sessions = one(['sessions'])
  if (!sessions) return numbers
  const each = (row: CsvRow) => wholeNumber(row[sessions]) ?? 0
  const rate = one(['bouncerate', 'bounce rate'])
  const engaged = one(['engagedsessions', 'engaged sessions'])
  if (engaged) numbers.bounces = row => Math.max(0, each(row) - (wholeNumber(row[engaged]) ?? 0))
  else if (rate) {
    numbers.bounces = row => {
      const part = share(row[rate])
      return part === undefined ? undefined : Math.round(part * each(row))
    }
  }
  const mean = one([
    'averagesessionduration',
    'average session duration',
    'average engagement time per session',
  ])
  const total = one(['userengagementduration', 'user engagement'])
  if (mean) numbers.duration_seconds = row => seconds((decimal(row[mean]) ?? 0) * each(row))
  else if (total) numbers.duration_seconds = row => seconds(decimal(row[total]))
  return numbers
}
