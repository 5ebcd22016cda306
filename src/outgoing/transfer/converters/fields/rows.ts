import { type CsvItem, type CsvRow, readWholeRows } from '../../read/csv.ts'
import { refusal } from '../../read/limits.ts'
import { filesIn } from '../../read/packed-files.ts'
import type { SourceFile } from '../../source-file.ts'

/**
 * Yields the rows of a CSV file, or of all files of an archive one after the other.
 * @param columns columns that a file of the format always has; of several names one is enough
 * @param expected what the file must be, for the message
 * @throws AppError `validation_failed` that names the columns that are missing
 */
export async function* readRows(
  file: SourceFile,
  columns: readonly (readonly string[])[],
  expected: string,
): AsyncGenerator<CsvItem> {
  for (const { name, read } of await filesIn(file)) {
    let isChecked = false
    for await (const item of readWholeRows(read())) {
      if (item.row && !isChecked) {
        requireColumns(item.row, columns, name, expected)
        isChecked = true
      }
      // Files that were put together have the first row in the middle, too.
      if (item.row && isHeader(item.row)) yield { line: item.line, left: 'names of columns, repeated' }
      else yield item
    }
  }
}

function requireColumns(
  row: CsvRow,
  columns: readonly (readonly string[])[],
  name: string,
  expected: string,
): void {
  const missing = columns.filter(names => !names.some(column => column in row))
  if (missing.length === 0) return
  const names = missing.map(alternatives => alternatives.join(' or ')).join(', ')
  throw refusal(`${name} lacks the column${missing.length > 1 ? 's' : ''} ${names}. Bring ${expected}`)
}

function isHeader(row: CsvRow): boolean {
  for (const column in row) if (row[column]?.trim().toLowerCase() !== column) return false
  return true
}
