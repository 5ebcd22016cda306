import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { awaySince, onceBack } from './connection.ts'
import { type Failure, failureOf } from './failure.ts'
import { readSignedIn } from './session.ts'

const RETRIES_WITHOUT_ANSWER = 2
/** Some minutes: the service waits for some seconds each time. */
const RETRIES_WHILE_PREPARING = 60
const PREPARING_MS = 1_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // A request that was answered with an error is not repeated, unless its answer is being prepared: the person decides.
      retry: (count, error) => {
        const { kind, code } = failureOf(error)
        if (code === 'preparing') return count < RETRIES_WHILE_PREPARING
        return kind === 'away' && !awaySince() && count < RETRIES_WITHOUT_ANSWER
      },
      retryDelay: (count, error) =>
        failureOf(error).code === 'preparing' ? PREPARING_MS : 1_000 * 2 ** count,
      // A request without a connection fails, and says so; by default it waits, with nothing on the page.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

onceBack(() => void queries.invalidateQueries())

/** What a read gives to the page. */
export interface Read<Data> {
  /** The answer; while another one is loading, the one before. */
  data: Data | undefined
  failure: Failure | undefined
  /** Whether `data` belongs to an earlier question. */
  isOld: boolean
  /** When the service gave `data`; undefined while that is the answer to an earlier question. */
  readAt: Date | undefined
  again(): void
}

export interface ReadOptions {
  /** Whether to read at all. */
  enabled?: boolean
  /** Milliseconds between two reads; none while the page is hidden. */
  every?: number
  /** Whether the answer before is shown until the new one is there; by default it is. */
  keep?: boolean
}

/**
 * Reads from the service, and again when the key changes.
 * @param key names what is read, with everything that it depends on
 */
export function useRead<Data>(
  key: readonly unknown[],
  read: (signal: AbortSignal) => Promise<Data>,
  { enabled = true, every, keep = true }: ReadOptions = {},
): Read<Data> {
  const { data, error, isPlaceholderData, dataUpdatedAt, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readSignedIn(() => read(signal)),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(every !== undefined && { refetchInterval: every }),
  })
  return {
    data,
    failure: error ? failureOf(error) : undefined,
    isOld: isPlaceholderData,
    readAt: dataUpdatedAt === 0 ? undefined : new Date(dataUpdatedAt),
    again: () => void refetch(),
  }
}

/** Returns the smallest share, from 0 to 1, of the answers that are being prepared; undefined when none is. */
function shareDone(): number | undefined {
  const shares = queries
    .getQueryCache()
    .getAll()
    .filter(({ state }) => state.fetchStatus === 'fetching' && state.fetchFailureReason !== null)
    .flatMap(({ state }) => failureOf(state.fetchFailureReason).share ?? [])
  return shares.length > 0 ? Math.min(...shares) : undefined
}

/** The same for a component, which is drawn again when it changes. */
export const useShareDone = (): number | undefined =>
  useSyncExternalStore(listener => queries.getQueryCache().subscribe(listener), shareDone)
