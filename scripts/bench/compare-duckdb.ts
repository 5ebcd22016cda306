import { openReads, type ReadOptions } from './calls.ts'
import { loadDuckDb, questionsOf, sourceOf } from './duckdb.ts'
import { RANGES } from './endpoints.ts'
import { figure, formatTable } from './table.ts'

/**
 * Times filtered reads of 30 days of the service, and DuckDB's answers to the same questions, in turn. Returns a table.
 * @throws Error when an answer differs
 */
export async function compareWithDuckDb(options: ReadOptions): Promise<string> {
  const { service, surface, time } = await openReads(options)
  const rows = sourceOf(service.db)
  const forms = [await loadDuckDb(rows, surface, 'text'), await loadDuckDb(rows, surface, 'enum')]
  const days = RANGES.find(({ name }) => name === '30 d')!.days
  const lines: string[][] = []
  for (const { name, path, statements, check } of questionsOf(surface)) {
    const url = surface.url({ name, path: path.slice(0, -1) }, days, `country=${surface.country}`)
    const answer = await service.api<Record<string, unknown> & { data?: Record<string, unknown>[] }>(
      'GET',
      url,
    )
    const expected = answer.data?.[0] ?? answer
    const found = await forms[0]!.first(statements[0]!)
    for (const field of check) {
      if (Number(found[field]) === expected[field]) continue
      throw new Error(`${field} of ${name} is ${expected[field]} in the service, ${found[field]} in DuckDB`)
    }
    const times: number[] = []
    for (const form of forms) times.push(await form.time(statements, options.calls))
    const { median } = await time(url)
    const ratios = times.map(each => `× ${figure(median / each)}`)
    lines.push([
      `${name}, country=${surface.country}`,
      figure(median),
      figure(times[0]),
      ratios[0]!,
      figure(times[1]),
      ratios[1]!,
    ])
  }
  return formatTable(
    ['read of 30 d', 'service', 'DuckDB, texts', 'ratio', 'DuckDB, enumerations', 'ratio'],
    lines,
  )
}
