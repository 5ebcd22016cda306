import { expect } from 'vitest'
import { readBody } from '../../../../src/ingestion/edge/read-body.ts'
import { readEnvelope } from '../../../../src/ingestion/import/envelope.ts'
import type {
  Converted,
  Converter,
  ConvertOptions,
  HitLine,
} from '../../../../src/outgoing/transfer/converters/converter.ts'
import { visitorIdOf } from '../../../../src/outgoing/transfer/converters/visitor-id.ts'
import { collect, fileOf } from '../read/source.ts'

const NOW = Date.UTC(2100, 0, 1)

export interface Outcome {
  hits: HitLine[]
  /** Reasons, in the order of the file. */
  left: string[]
}

/**
 * Converts a file. Every line must be one that the import takes.
 * @throws what the import says of a line that it refuses
 */
export async function convert(
  converter: Converter,
  content: string | Buffer,
  options: Partial<ConvertOptions> = {},
): Promise<Outcome> {
  const file = fileOf(content, 'export.csv', content.length > 1_000_000 ? 65_536 : 1_000)
  const all = await collect(converter.convert(file, { domain: 'example.com', timezone: 'UTC', ...options }))
  for (const converted of all) if ('hit' in converted) expectTaken(converted.hit)
  return {
    hits: all.flatMap(converted => ('hit' in converted ? [converted.hit] : [])),
    left: all.flatMap(leftOf),
  }
}

/** Why nothing, or not all, of a row is carried over. */
function leftOf(converted: Converted): string[] {
  if ('hit' in converted) return []
  return ['left' in converted ? converted.left : `part of a row: ${converted.part}`]
}

function expectTaken(hit: HitLine): void {
  const text = JSON.stringify(hit)
  try {
    const { body } = readEnvelope(Buffer.from(text), NOW)
    readBody(hit.endpoint, body)
  } catch (error) {
    throw new Error(`the import refuses ${text}`, { cause: error })
  }
}

/** What the hits of a file say, without their times. */
export const bodiesOf = async (...given: Parameters<typeof convert>): Promise<HitLine['body'][]> =>
  (await convert(...given)).hits.map(({ endpoint, body }) => ({ endpoint, ...body }))

/** Expects that objects that are cut or too long are counted, and those around them converted. */
export async function expectBrokenCounted(
  converter: Converter,
  object: Record<string, unknown>,
  hits: number,
) {
  const line = JSON.stringify(object)
  const [field] = Object.keys(object)
  const long = `{"${field}": "${'x'.repeat(10 * 1024 * 1024)}"}`
  const converted = await convert(converter, `${line}\n{"${field}": "cut\n${long}\r\n${line}`)
  expect([converted.hits.length, converted.left]).toEqual([
    2 * hits,
    ['the line is not a JSON object', 'the object is longer than 4096 KiB'],
  ])
}

/** Expects that every row is left out, each for its reason. */
export async function expectLeft<Row>(
  converter: Converter,
  cases: [row: Row, reason: string][],
  fileOf: (...rows: Row[]) => string,
  options: Partial<ConvertOptions> = {},
) {
  const left = cases.map(([, reason]) => reason)
  const file = fileOf(...cases.map(([row]) => row))
  expect(await convert(converter, file, options)).toEqual({ hits: [], left })
}

export const visitor = (format: string, id: string) => ({ visitor_id: visitorIdOf(format, id) })

/** Makes rows of CSV; every field is quoted. */
export function csv(
  columns: readonly string[],
  ...rows: Record<string, string | number | undefined>[]
): string {
  const quoted = (value: string | number) => `"${String(value).replaceAll('"', '""')}"`
  const lines = rows.map(row => columns.map(column => quoted(row[column] ?? '')).join(','))
  return [columns.map(quoted).join(','), ...lines].join('\r\n')
}

export const jsonLines = (...values: unknown[]) => values.map(value => JSON.stringify(value)).join('\n')
