import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type Column, HIT_COLUMNS, SESSION_COLUMNS } from './columns.ts'
import type { ExportedHit } from './rows.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** Rows of a row group: what a file holds in memory at once. */
const ROW_GROUP_ROWS = 10_000

const ofSession = ({ value, ...column }: (typeof SESSION_COLUMNS)[number]): Column<ExportedHit> => ({
  ...column,
  value: ({ session }) => (session ? value(session) : null),
})

const COLUMNS: Column<ExportedHit>[] = [...HIT_COLUMNS, ...SESSION_COLUMNS.map(ofSession)]

const ELEMENT_OF: Record<Column<ExportedHit>['type'], Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  int: { type: 'INT32' },
  bigint: { type: 'INT64' },
}

const SCHEMA: SchemaElement[] = [
  { name: 'hits', num_children: COLUMNS.length },
  ...COLUMNS.map(({ name, type }) => ({
    name,
    ...ELEMENT_OF[type],
    repetition_type: 'OPTIONAL' as const,
  })),
]

/** Holds what was written since `take`. */
class ChunkWriter extends ByteWriter {
  take(): Buffer {
    const bytes = Buffer.from(this.getBytes())
    this.index = 0
    return bytes
  }
}

/** Writes hits as a Parquet file, one row group after the other. */
export function createParquetFile() {
  const writer = new ChunkWriter()
  const file = new ParquetWriter({ writer, schema: SCHEMA, createdBy: 'analytics' })
  let columns = emptyColumns()

  function writeGroup(): Buffer {
    const columnData = COLUMNS.map(({ name, type }, index) => ({
      name,
      data: columns[index]!,
      // Statistics stay in memory until the file ends: only those of the time let readers skip row groups.
      statistics: type === 'time',
      offsetIndex: false,
    }))
    void file.write({ columnData, rowGroupSize: ROW_GROUP_ROWS })
    columns = emptyColumns()
    return writer.take()
  }

  return {
    /** Adds a hit. @returns the bytes of a row group when one is full */
    add(hit: ExportedHit): Buffer | undefined {
      for (const [index, { type, value }] of COLUMNS.entries()) {
        const cell = value(hit)
        columns[index]!.push(cell === null ? null : inFile(type, cell))
      }
      return columns[0]!.length === ROW_GROUP_ROWS ? writeGroup() : undefined
    },
    /** @returns the rest of the file */
    finish(): Buffer {
      const group = columns[0]!.length > 0 ? writeGroup() : Buffer.alloc(0)
      void file.finish()
      return Buffer.concat([group, writer.take()])
    },
  }
}

/** The library serializes JSON itself, and takes 64-bit numbers as bigint. */
function inFile(type: Column<ExportedHit>['type'], cell: string | number | Date): unknown {
  if (type === 'bigint') return BigInt(cell as number)
  return type === 'json' ? (JSON.parse(cell as string) as unknown) : cell
}

const emptyColumns = (): unknown[][] => COLUMNS.map(() => [])
