import { query } from '../../db/query.ts'
import type { DimensionOf } from '../../dimensions/dimensions.ts'
import { runTask } from '../../rollups/protocol.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'
import { coverRange, partOf } from './coverage.ts'

/** JSON arrays by column, null without any money; amounts as text. */
const listMoneyBySession = query<
  { siteNo: number; start: Date; end: Date; currency: string },
  { sessionNos: number[] | null; revenue: (string | null)[] | null; mrr: (string | null)[] | null }
>('list-money-by-session')

/** Which of some sessions have hits with which values. */
const listValuesOfPayers = filteredQuery<{ sessionNos: string[] }, { sessionNo: number; value: string }>(
  'list-values-of-payers',
  ['filtered_hits'],
  `select distinct session_no as "sessionNo", value
  from filtered_hits
  where not is_service and session_no in (select unnest("sessionNos"::bigint[]) from params)`,
)

/**
 * Returns what the sessions paid that have a hit with a value, and the changes of MRR that they made, from columns of sessions and the
 * rows beside them. Values without money are absent or 0.
 * @param values the only values of interest; undefined for all
 * @returns undefined when rows should answer
 */
export async function sumMoneyByColumns(
  services: Pick<StatsServices, 'reads' | 'rollups' | 'slices'>,
  resolved: ResolvedQuery,
  currency: string,
  dimension: DimensionOf<'hit'>,
  values: readonly string[] | undefined,
): Promise<{ value: string; revenue: bigint; mrr: bigint }[] | undefined> {
  const read = await coverRange(services, resolved)
  if (!read) return undefined
  const { start, end } = keptPart(resolved)
  const { siteNo, filters, windows } = read
  const [found] = await listMoneyBySession(services.reads, { siteNo, start, end, currency })
  const { sessionNos, revenue, mrr } = found!
  if (!sessionNos) return []
  const { days, gaps } = windows[0]!
  const rows: { sessionNo: number; value: string }[] = []
  const options = { params: { sessionNos: sessionNos.map(String) }, value: dimension, values }
  for (const gap of gaps) {
    for (const row of await readSlices(services, listValuesOfPayers, partOf(resolved, gap), options))
      rows.push(row)
  }
  const money = { sessionNos: Float64Array.from(sessionNos), revenue: revenue!, mrr: mrr! }
  const summed = await runTask(services.rollups, 'sumMoneyOfValues', {
    ...{ siteNo, filters, dimension, days, money, rows, values },
  })
  return summed ?? undefined
}
