import { validationError } from '../../../platform/schema/validation.ts'
import { peek } from '../read/bytes.ts'
import { readCsv } from '../read/csv.ts'
import { beginsWithObject, readJsonLines } from '../read/json-lines.ts'
import { refusal } from '../read/limits.ts'
import type { PackedFile } from '../read/packed-files.ts'
import { whyInexact } from './row-facts.ts'
import { type MoneyRow, rowSchema } from './row-schema.ts'

/** A row, or why it is left out. */
export type RowItem = {
  /** From 1; in CSV the names of the columns are row 1. */
  number: number
  /** Share of the file that was read, 0 to 1. */
  part: number
} & ({ row: MoneyRow; left?: undefined } | { row?: undefined; left: string })

/**
 * Reads the rows of a file with constant memory. A file that begins with `{` has a JSON object a line, any other is CSV.
 * @param zone of times that name none
 * @throws AppError `validation_failed` for CSV without the columns that every row needs
 */
export async function* readRows(file: PackedFile, zone: string, now: Date): AsyncGenerator<RowItem> {
  const schema = rowSchema(zone, now)
  const { isJson, all } = await formatOf(file)
  let bytes = 0
  const counted = (async function* () {
    for await (const chunk of all) {
      bytes += chunk.length
      yield chunk
    }
  })()
  let number = isJson ? 0 : 1
  for await (const item of isJson ? readJsonLines(counted) : readCsv(counted)) {
    number += 1
    const at = { number, part: file.bytes > 0 ? Math.min(1, bytes / file.bytes) : 0 }
    if (item.left !== undefined) {
      yield { ...at, left: item.left }
      continue
    }
    const given = 'row' in item ? item.row : item.value
    if (!isJson && number === 2) requireColumns(given as object)
    const parsed = schema.safeParse(given)
    if (!parsed.success) yield { ...at, left: validationError(parsed.error).message }
    else {
      const left = whyInexact(parsed.data)
      yield left === undefined ? { ...at, row: parsed.data } : { ...at, left }
    }
  }
}

async function formatOf(file: PackedFile) {
  const { first, all } = await peek(file.read(), 64)
  return { isJson: beginsWithObject(first), all }
}

/**
 * Reads a file without keeping anything, before its rows are stored one after the other.
 * @throws AppError `validation_failed` for CSV whose rows cannot be told apart
 */
export async function checkFile(file: PackedFile): Promise<void> {
  const { isJson, all } = await formatOf(file)
  if (isJson) return
  for await (const _ of readCsv(all)) {
    // Only whether it ends well matters.
  }
}

function requireColumns(row: object): void {
  const missing = ['type', 'id', 'at', 'amount'].filter(name => !(name in row))
  if (missing.length > 0) {
    throw refusal(
      `the first row must name the columns type, id, at and amount; missing: ${missing.join(', ')}`,
    )
  }
}
