import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { decodeValues, encodeValues } from '../../../../storage/rollups/daily/codec.ts'
import { valueIdsOf } from '../../../../storage/rollups/daily/value-dictionary.ts'
import { numbersIn, serializeVisitors } from '../../../../storage/rollups/daily/visitor-set.ts'
import { refusal } from '../../read/limits.ts'
import type { SiteKind } from '../../rows/row-files.ts'
import type { OpenedFile } from '../open-archive.ts'
import { lineBlocks } from './line-blocks.ts'
import { NumberMap } from './number-map.ts'
import { type FilesOf, kindsOf, restoreBlock } from './restore-rows.ts'
import { visitorNumbers } from './visitors.ts'

type Line = Record<string, unknown>

/** What numbers of the archive are here. */
interface Renumbering {
  visitors(old: Uint32Array): Promise<Uint32Array>
  valueId(old: number): number
}

/** What an earlier run has restored: it may have numbered visitors that no line names in another way. */
const deleteKeptDays = query<{ siteNo: number }>(
  'delete-restored-days',
  `with
    site as (select details_from from sites where site_no = :siteNo::int),
    days as (
      delete from daily_rollups where site_no = :siteNo::int and ends_at <= (select details_from from site)
    ),
    day_values as (
      delete from daily_value_rollups where site_no = :siteNo::int and ends_at <= (select details_from from site)
    ),
    hits as (delete from kept_hit_buckets where site_no = :siteNo::int)
  delete from kept_session_buckets where site_no = :siteNo::int`,
)

/** The days before are there: nothing rolls them up. */
const beginRollupSpan = query<{ siteNo: number }>(
  'begin-restored-rollup-span',
  `insert into rollup_spans (site_no, timezone, rolled_up_from)
  select site_no, timezone, first.at
  from sites
  join (select min(starts_at) as at from daily_rollups where site_no = :siteNo::int) as first on first.at is not null
  where site_no = :siteNo::int
  on conflict (site_no) do update set rolled_up_from = least(rollup_spans.rolled_up_from, excluded.rolled_up_from)`,
)

/** Numbers for visitors that are in kept numbers, but have been erased since. */
const drawVisitorNumbers = query<{ count: number }, { visitorNo: number }>(
  'draw-visitor-numbers',
  `select nextval('visitor_numbers')::int as "visitorNo" from generate_series(1, :count::int)`,
)

/**
 * Restores the numbers of days whose details are gone. They name visitors and values by numbers that each database gives.
 * May be run again: it begins anew.
 */
export async function restoreKeptNumbers(db: Db, siteNo: number, filesOf: FilesOf): Promise<void> {
  const kinds = kindsOf('kept')
  if (kinds.every(kind => filesOf(kind).length === 0)) return
  await deleteKeptDays(db, { siteNo })
  const numbers = await renumbering(db, siteNo, filesOf)
  for (const kind of kinds) {
    const renumber = RENUMBER[kind]
    for await (const rows of lineBlocks(filesOf(kind))) {
      const lines = renumber ? await renumbered(rows, line => renumber(line, numbers)) : rows
      await restoreBlock(db, kind, { siteNo, rows: lines })
    }
  }
  await beginRollupSpan(db, { siteNo })
}

const RENUMBER: Partial<Record<SiteKind, (line: Line, numbers: Renumbering) => Promise<Line>>> = {
  'kept-days': renumberDay,
  'kept-values': renumberValues,
  'kept-hit-buckets': renumberBucket,
}

async function renumbered(rows: string, renumber: (line: Line) => Promise<Line>): Promise<string> {
  const lines: Line[] = []
  for (const line of JSON.parse(rows) as Line[]) lines.push({ ...line, ...(await renumber(line)) })
  return JSON.stringify(lines)
}

async function renumberDay({ visitors }: Line, numbers: Renumbering): Promise<Line> {
  return { visitors: hexOf(serializeVisitors([await numbers.visitors(numbersIn(bytesOf(visitors)))])) }
}

async function renumberValues({ counts, visitors }: Line, numbers: Renumbering): Promise<Line> {
  // Too many values to be rolled up.
  if (counts === null) return {}
  const values = []
  for (const value of decodeValues(bytesOf(counts), bytesOf(visitors))) {
    values.push({
      ...value,
      valueId: numbers.valueId(value.valueId),
      visitors: await numbers.visitors(value.visitors),
    })
  }
  const encoded = encodeValues(values)
  return { counts: hexOf(encoded.counts), visitors: hexOf(encoded.visitors) }
}

async function renumberBucket({ visitors }: Line, numbers: Renumbering): Promise<Line> {
  if (visitors === null) return {}
  return { visitors: [...(await numbers.visitors(Uint32Array.from(visitors as number[])))] }
}

/** As the database writes and reads `bytea`. */
const hexOf = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`
const bytesOf = (hex: unknown): Buffer => Buffer.from((hex as string).slice(2), 'hex')

async function renumbering(db: Db, siteNo: number, filesOf: FilesOf): Promise<Renumbering> {
  const visitors = await visitorNumbers(db, siteNo, filesOf('visitors'))
  const valueIds = await restoreValues(db, siteNo, filesOf('values'))
  /** Visitors that were erased: days without details still count them. */
  const erased = new Map<number, number>()

  async function numberErased(old: Uint32Array): Promise<void> {
    const unknown = old.filter(each => visitors.get(each) === undefined && !erased.has(each))
    if (unknown.length === 0) return
    const drawn = await drawVisitorNumbers(db, { count: unknown.length })
    for (const [index, each] of unknown.entries()) erased.set(each, drawn[index]!.visitorNo)
  }

  return {
    async visitors(old) {
      await numberErased(old)
      return old.map(each => visitors.get(each) ?? erased.get(each)!).sort()
    },
    valueId(old) {
      const valueId = valueIds.get(old)
      if (valueId === undefined)
        throw refusal(`the archive has counts of the value ${old}, and no such value`)
      return valueId
    },
  }
}

async function restoreValues(db: Db, siteNo: number, files: OpenedFile[]): Promise<NumberMap> {
  const valueIds = new NumberMap()
  for await (const rows of lineBlocks(files)) {
    const given = JSON.parse(rows) as { value_id: number; value: string }[]
    const values = given.map(({ value }) => value)
    const present = await valueIdsOf(db, siteNo, values, { addsMissing: true })
    for (const { value_id, value } of given) valueIds.add(value_id, present.get(value)!)
  }
  return valueIds
}
