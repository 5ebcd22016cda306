import { filesIn } from '../../../../src/outgoing/transfer/read/packed-files.ts'
import type { TotalsItem } from '../../../../src/outgoing/transfer/totals/format.ts'
import { TOTALS_FORMATS, type TotalsFormatName } from '../../../../src/outgoing/transfer/totals/registry.ts'
import { collect, fileOf } from '../read/source.ts'

const zones = { timezone: 'UTC', fileTimezone: 'UTC' }

/** Reads a file as a format, into plain values. */
export async function readTables(
  format: TotalsFormatName,
  bytes: Buffer | string,
  { name = 'export.csv', ...options }: Partial<typeof zones> & { name?: string } = {},
) {
  const files = await filesIn(fileOf(bytes, name, 97))
  const { tables, unknown } = await TOTALS_FORMATS[format].open(files, { ...zones, ...options })
  const read = await Promise.all(
    tables.map(async ({ file, dimensions, numbers, rows }) => {
      const items: TotalsItem[] = await collect(rows())
      return {
        file,
        dimensions,
        numbers,
        rows: items.flatMap(({ row }) => (row ? [[row.day, ...row.values, ...row.numbers]] : [])),
        left: items.flatMap(({ left }) => (left === undefined ? [] : [left])),
      }
    }),
  )
  return { tables: read, unknown }
}
