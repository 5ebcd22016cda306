import { api, type Inputs, type Outputs } from './client.ts'
import { type Read, type ReadOptions, useRead } from './use-read.ts'

type Stats = Outputs['stats']
type Query<Name extends keyof Stats> = (
  input: Inputs['stats'][Name],
  options: { signal: AbortSignal },
) => Promise<Stats[Name]>

/** Key of the reads of one statistic, for changes after which it has another answer. */
export const statsKey = (name: keyof Stats) => ['stats', name] as const

/**
 * Reads a statistic of a site. All who ask the same share one request.
 *
 *     const read = useStats('errors', { ...input, page })
 */
export function useStats<Name extends keyof Stats>(
  name: Name,
  input: Inputs['stats'][Name],
  options?: ReadOptions,
): Read<Stats[Name]> {
  const { query } = api.stats[name] as unknown as { query: Query<Name> }
  return useRead([...statsKey(name), input], signal => query(input, { signal }), options)
}
