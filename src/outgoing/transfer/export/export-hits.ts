import type { Queryable } from '../../../platform/db/connect.ts'
import type { CsvDelimiter } from '../../../platform/schema/csv-delimiter.ts'
import { createCsv } from './csv.ts'
import { lineOfHit, lineOfIdentity, lineOfVitals } from './json-lines.ts'
import { createParquetFile } from './parquet.ts'
import { type HitSpan, readHits } from './read-hits.ts'
import { readIdentities } from './read-identities.ts'

export const HIT_FORMATS = ['jsonl', 'csv', 'parquet'] as const
export type HitFormat = (typeof HIT_FORMATS)[number]

/** Content types by format. */
export const HIT_TYPES: Record<HitFormat, string> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

export interface HitExport extends HitSpan {
  format: HitFormat
  /** Of a CSV file; `comma` without it. */
  delimiter?: CsvDelimiter
  /** The span is all of the site: users without a session in it are exported, too. */
  isWhole: boolean
  /** Called after each page. */
  onHits?: (count: number, at: Date) => void
}

/**
 * Yields a file with the hits of a site. It is made as it is read, with constant memory, and between two pieces nothing is held in the database:
 * what is stored, erased or dropped meanwhile may or may not be in it. Hits from `end` on are not.
 */
export async function* exportHits(db: Queryable, given: HitExport): AsyncGenerator<Buffer> {
  if (given.format === 'parquet') yield* parquetOf(db, given)
  else if (given.format === 'csv') yield* csvOf(db, given)
  else yield* linesOf(db, given)
}

async function* linesOf(db: Queryable, given: HitExport): AsyncGenerator<Buffer> {
  for await (const { hits, vitals } of pagesOf(db, given, true)) {
    yield* pieces(hits, lineOfHit)
    yield* pieces(vitals, lineOfVitals)
  }
  for await (const identities of readIdentities(db, given)) yield* pieces(identities, lineOfIdentity)
}

async function* csvOf(db: Queryable, given: HitExport): AsyncGenerator<Buffer> {
  const { header, lineOf } = createCsv(given.delimiter ?? 'comma')
  yield Buffer.from(header)
  for await (const { hits } of pagesOf(db, given, false)) yield* pieces(hits, lineOf)
}

/** Characters of a piece: small ones are collected at once when they are sent. */
const PIECE_CHARACTERS = 64 * 1024

/** Yields the lines of rows, several at a time. */
function* pieces<Row>(rows: Row[], lineOf: (row: Row) => string): Generator<Buffer> {
  let piece = ''
  for (const row of rows) {
    piece += lineOf(row)
    if (piece.length < PIECE_CHARACTERS) continue
    yield Buffer.from(piece)
    piece = ''
  }
  if (piece !== '') yield Buffer.from(piece)
}

async function* parquetOf(db: Queryable, given: HitExport): AsyncGenerator<Buffer> {
  const file = createParquetFile()
  for await (const { hits } of pagesOf(db, given, false)) {
    for (const hit of hits) {
      const bytes = file.add(hit)
      if (bytes) yield bytes
    }
  }
  yield file.finish()
}

async function* pagesOf(db: Queryable, { onHits, ...span }: HitExport, withVitals: boolean) {
  for await (const page of readHits(db, span, { withVitals })) {
    const last = page.hits.at(-1)
    if (last) onHits?.(page.hits.length, last.at)
    yield page
  }
}
