import { arraysOf, arrayText, timeText } from '../../platform/db/array-text.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { EnrichedHit, VitalsReport } from '../hit.ts'
import { SESSION_SPAN_MS } from './batch-context.ts'
import type { AssignedReport } from './session-rules.ts'

/** Place of a row of `web_vitals`, and which report it has. */
interface StoredReport {
  visitorNo: number
  id: string
  at: Date
  sessionAt: Date
  receivedAt: Date
  receivedId: string
}

/** Reports that lie within two days before the hits: a report belongs to a pageview of its session. */
const selectStored = query<
  { siteNos: number[]; visitorNos: string; ids: string; from: Date; to: Date },
  StoredReport
>(
  'select-stored-web-vitals',
  `select
    stored.visitor_no as "visitorNo", stored.id, stored.at, stored.session_at as "sessionAt",
    stored.received_at as "receivedAt", stored.received_id as "receivedId"
  from unnest(:visitorNos::int[], :ids::uuid[]) as report (visitor_no, id)
  -- One lookup in the index for each report: the plan of a join would depend on estimates.
  cross join lateral (
    select visitor_no, id, at, session_at, received_at, received_id
    from web_vitals
    where visitor_no = report.visitor_no and id = report.id and at >= :from::timestamptz and at <= :to::timestamptz
    limit 1
  ) as stored`,
)

interface Replacement {
  hit: EnrichedHit
  stored: StoredReport
}

/** Reports of a batch: of one visitor and id, only the latest is written. */
export interface ReportsToWrite {
  added: AssignedReport[]
  replaced: Replacement[]
  /** Reports that count, also those that another one of the batch replaces. */
  applied: number
  /** Reports that were stored before, or are older than what is stored. */
  repeated: number
}

const vitalsOf = ({ vitals }: EnrichedHit): VitalsReport => vitals!

/** A report is later than another by its time of receipt, then by its own number. */
const isLater = (hit: EnrichedHit, at: number, id: string) => hit.at > at || (hit.at === at && hit.id > id)

/**
 * Sorts the reports of a batch by what becomes of them. Storing a report again changes nothing, and of two reports the later one
 * stays, in whatever order they arrive.
 * @param reports in time order
 */
export async function sortReports(tx: Transaction, reports: AssignedReport[]): Promise<ReportsToWrite> {
  const stored = await findStored(tx, reports)
  const added = new Map<string, AssignedReport>()
  const replaced = new Map<string, Replacement>()
  const counts = { applied: 0, repeated: 0 }
  for (const { hit, visitor, page, startedAt } of reports) {
    const key = `${visitor.siteNo}/${visitor.id}/${vitalsOf(hit).id}`
    const before = stored.get(key)
    const inBatch = added.get(key)
    if (before) {
      const latest = replaced.get(key)?.hit
      const isNew = latest
        ? isLater(hit, latest.at, latest.id)
        : isLater(hit, before.receivedAt.getTime(), before.receivedId)
      if (isNew) replaced.set(key, { hit, stored: before })
      counts[isNew ? 'applied' : 'repeated'] += 1
    } else if (inBatch) {
      const isNew = isLater(hit, inBatch.hit.at, inBatch.hit.id)
      if (isNew) inBatch.hit = hit
      counts[isNew ? 'applied' : 'repeated'] += 1
    } else {
      added.set(key, { hit, visitor, page, startedAt })
      counts.applied += 1
    }
  }
  return { added: [...added.values()], replaced: [...replaced.values()], ...counts }
}

async function findStored(tx: Transaction, reports: AssignedReport[]): Promise<Map<string, StoredReport>> {
  const known = reports.filter(({ visitor }) => !visitor.isNew)
  const found = new Map<string, StoredReport>()
  if (known.length === 0) return found
  const times = known.map(({ hit }) => hit.at)
  const rows = await selectStored(tx, {
    siteNos: [...new Set(known.map(({ visitor }) => visitor.siteNo))],
    visitorNos: arrayText(known.map(({ visitor }) => visitor.visitorNo)),
    ids: arrayText(known.map(({ hit }) => vitalsOf(hit).id)),
    from: new Date(times[0]! - 2 * SESSION_SPAN_MS),
    to: new Date(times.at(-1)!),
  })
  const byPlace = new Map(rows.map(row => [`${row.visitorNo}/${row.id}`, row]))
  for (const { hit, visitor } of known) {
    const { id } = vitalsOf(hit)
    const row = byPlace.get(`${visitor.visitorNo}/${id}`)
    if (row) found.set(`${visitor.siteNo}/${visitor.id}/${id}`, row)
  }
  return found
}

type WithHit = { hit: EnrichedHit }

const VALUES = {
  receivedTimes: ({ hit }: WithHit) => timeText(hit.at),
  receivedIds: ({ hit }: WithHit) => hit.id,
  lcps: ({ hit }: WithHit) => vitalsOf(hit).lcp ?? null,
  inps: ({ hit }: WithHit) => vitalsOf(hit).inp ?? null,
  clss: ({ hit }: WithHit) => vitalsOf(hit).cls ?? null,
  fcps: ({ hit }: WithHit) => vitalsOf(hit).fcp ?? null,
  ttfbs: ({ hit }: WithHit) => vitalsOf(hit).ttfb ?? null,
  lcpTargets: ({ hit }: WithHit) => vitalsOf(hit).lcpTarget ?? null,
  inpTargets: ({ hit }: WithHit) => vitalsOf(hit).inpTarget ?? null,
  clsTargets: ({ hit }: WithHit) => vitalsOf(hit).clsTarget ?? null,
  lcpPhases: ({ hit }: WithHit) => vitalsOf(hit).lcpPhase ?? null,
  inpPhases: ({ hit }: WithHit) => vitalsOf(hit).inpPhase ?? null,
  fcpPhases: ({ hit }: WithHit) => vitalsOf(hit).fcpPhase ?? null,
  ttfbPhases: ({ hit }: WithHit) => vitalsOf(hit).ttfbPhase ?? null,
}

const ADDITION = {
  siteNos: ({ visitor }: AssignedReport) => visitor.siteNo,
  times: ({ page }: AssignedReport) => timeText(page.at),
  pageIds: ({ page }: AssignedReport) => page.id,
  ids: ({ hit }: AssignedReport) => vitalsOf(hit).id,
  ...VALUES,
}

const REPLACEMENT = {
  visitorNos: ({ stored }: Replacement) => stored.visitorNo,
  times: ({ stored }: Replacement) => timeText(stored.at.getTime()),
  ids: ({ stored }: Replacement) => stored.id,
  ...VALUES,
}

const insertReports = query<Record<keyof typeof ADDITION, string>>('insert-web-vitals')
const replaceReports = query<Record<keyof typeof REPLACEMENT, string>>('replace-web-vitals')

/** Returns the sites and starts of the sessions to which reports belong. */
export const sessionsOfReports = ({ added, replaced }: ReportsToWrite): { siteNo: number; at: number }[] => [
  ...added.map(({ hit: { siteNo }, startedAt }) => ({ siteNo, at: startedAt })),
  ...replaced.map(({ hit: { siteNo }, stored }) => ({ siteNo, at: stored.sessionAt.getTime() })),
]

/** Writes reports. Call it after the hits of the batch are inserted: a report copies the row of its pageview. */
export async function writeReports(tx: Transaction, { added, replaced }: ReportsToWrite): Promise<void> {
  if (added.length > 0) await insertReports(tx, arraysOf(ADDITION, added))
  if (replaced.length > 0) await replaceReports(tx, arraysOf(REPLACEMENT, replaced))
}
