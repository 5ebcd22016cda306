import type { Dimension } from '../../../platform/dimensions/dimensions.ts'
import type { TotalsNumber } from '../../../stats/imported/families.ts'
import type { CsvRow } from '../read/csv.ts'
import { refusal } from '../read/limits.ts'
import type { PackedFile } from '../read/packed-files.ts'
import { calendarDay, cellText } from './cells.ts'
import { columnsOf, countIn, type ReadNumber, tableOf } from './csv-table.ts'
import type { TotalsFormat, TotalsTable } from './format.ts'
import { browserOf, countryOf, originOf, pathOf, sizeOf, systemOf } from './values.ts'

/** A dimension, the column that it needs, and its value. */
type Place = [dimension: Dimension, column: string, value: (row: CsvRow) => string]

const textOf = (column: string) => (row: CsvRow) => cellText(row[column])
const plain = (dimension: Dimension, column: string = dimension): Place => [dimension, column, textOf(column)]
const mapped = (dimension: Dimension, column: string, map: (value: string) => string): Place => [
  dimension,
  column,
  row => map(cellText(row[column])),
]

const origin = (row: CsvRow) =>
  originOf({
    source: cellText(row.source),
    referrer: cellText(row.referrer),
    utmSource: cellText(row.utm_source),
    utmMedium: cellText(row.utm_medium),
    utmCampaign: cellText(row.utm_campaign),
  })

/** Tables of the export by name. The first dimension is required, older versions lack some of the others. */
const TABLES: Record<string, { places: Place[]; sessions?: string }> = {
  visitors: { places: [] },
  pages: { places: [mapped('path', 'page', pathOf)] },
  entry_pages: { places: [mapped('entry_path', 'entry_page', pathOf)], sessions: 'entrances' },
  exit_pages: { places: [mapped('exit_path', 'exit_page', pathOf)], sessions: 'exits' },
  sources: {
    places: [
      ['source', 'source', row => origin(row).source],
      ['channel', 'source', row => origin(row).channel],
      plain('referrer'),
      plain('utm_source'),
      plain('utm_medium'),
      plain('utm_campaign'),
      plain('utm_content'),
      plain('utm_term'),
    ],
  },
  devices: { places: [mapped('size', 'device', sizeOf)] },
  browsers: { places: [mapped('browser', 'browser', browserOf), plain('browser_version')] },
  operating_systems: {
    places: [mapped('os', 'operating_system', systemOf), plain('os_version', 'operating_system_version')],
  },
  locations: { places: [mapped('country', 'country', countryOf), plain('region')] },
  custom_events: { places: [plain('event_name', 'name')] },
}

const FILE = new RegExp(`^(?:imported_)?(${Object.keys(TABLES).join('|')})(?:_\\d{8}_\\d{8})?\\.csv$`, 'i')

/** Columns of numbers by their name here; `visits` has other names in two tables. */
const NUMBERS: Record<Exclude<TotalsNumber, 'sessions'>, string> = {
  visitors: 'visitors',
  pageviews: 'pageviews',
  bounces: 'bounces',
  duration_seconds: 'visit_duration',
  events: 'events',
}

/** Export of Plausible: a ZIP file with ten CSV files, or one of them. */
export const plausible: TotalsFormat = {
  title: 'Plausible',
  file: "The ZIP file of Plausible's “Export to CSV”, or one of its CSV files.",
  notes: [
    'Cities are left out: the export has numbers instead of their names.',
    'Channels follow from source, referrer and tags; clicks on ads without tags are not recognised.',
    'Links and paths of custom events are added up by the name of the event.',
    'Days are those of the time zone that Plausible had for the site.',
  ],
  async open(files) {
    const tables: TotalsTable[] = []
    const unknown: string[] = []
    for (const file of files) {
      const name = FILE.exec(file.name)?.[1]?.toLowerCase()
      const columns = name ? await columnsOf(file) : undefined
      if (columns) tables.push(openTable(file, TABLES[name!]!, columns))
      else if (!name) unknown.push(file.name)
    }
    if (tables.length === 0) {
      throw refusal('the file holds no totals of Plausible, such as imported_visitors_20230101_20240531.csv')
    }
    return { tables, unknown }
  },
}

function openTable(
  file: PackedFile,
  { places, sessions = 'visits' }: (typeof TABLES)[string],
  columns: Set<string>,
): TotalsTable {
  const required = ['date', ...(places[0] ? [places[0][1]] : [])]
  const missing = required.find(column => !columns.has(column))
  if (missing) throw refusal(`${file.name} has no column ${missing}`)
  const kept = places.filter(([, column]) => columns.has(column))
  const numbers: Partial<Record<TotalsNumber, ReadNumber>> = {}
  if (columns.has(sessions)) numbers.sessions = countIn(sessions)
  for (const [number, column] of Object.entries(NUMBERS)) {
    if (columns.has(column)) numbers[number as TotalsNumber] = countIn(column)
  }
  return tableOf({
    file,
    dimensions: kept.map(([dimension]) => dimension),
    values: row => kept.map(([, , value]) => value(row)),
    numbers,
    day: row => calendarDay(row.date),
  })
}
