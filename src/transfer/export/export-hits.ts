import type { Queryable } from '../../db/connect.ts'
import { csvHeader, csvLine } from './csv.ts'
import { lineOfHit, lineOfIdentity, lineOfVitals } from './json-lines.ts'
import { createParquetFile } from './parquet.ts'
import { type HitSpan, readHits } from './read-hits.ts'
import { readIdentities } from './read-identities.ts'

export const HIT_FORMATS = ['jsonl', 'csv', 'parquet'] as const
export type HitFormat = (typeof HIT_FORMATS)[number]

/** Content types by format. */
export const HIT_TYPES: Record<HitFormat, string> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

export interface HitExport extends HitSpan {
  format: HitFormat
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
    if (hits.length > 0) yield Buffer.from(hits.map(lineOfHit).join(''))
    if (vitals.length > 0) yield Buffer.from(vitals.map(lineOfVitals).join(''))
  }
  for await (const identities of readIdentities(db, given)) {
    yield Buffer.from(identities.map(lineOfIdentity).join(''))
  }
}

async function* csvOf(db: Queryable, given: HitExport): AsyncGenerator<Buffer> {
  yield Buffer.from(csvHeader())
  for await (const { hits } of pagesOf(db, given, false)) {
    if (hits.length > 0) yield Buffer.from(hits.map(csvLine).join(''))
  }
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
