import { AsyncLocalStorage } from 'node:async_hooks'
import type { AppError } from '../errors.ts'
import type { PageUrl } from '../infra/pagination.ts'
import type { Rate } from '../infra/rate-limit.ts'
import type { Services } from '../infra/services.ts'

export type { Services } from '../infra/services.ts'

/** What a procedure knows of its request. */
export interface Context extends Services {
  requestId: string
  /** The `Authorization` header as it came. */
  authorization: string | undefined
  /** The network that the request came from; it goes nowhere. */
  network: string
  /** Puts what is left of the caller's limit on the answer; of several calls in one request, the least. */
  showRate: (rate: Rate) => void
  /** Tells REST that nothing was made, because it is there already. */
  sayExisting: () => void
  /** Aborts when nobody waits for the answer any more: the client is gone, or has its answer. */
  signal: AbortSignal
  /** The address of another page of the answer; null for tRPC, whose calls have none. */
  pageUrl: PageUrl
}

/** A request over tRPC, for errors that tRPC raises where there is no context. */
export interface RunningRequest {
  requestId: string
  /** Why the input cannot be read; the caller hears of it when a procedure needs the input, so after 401 and 429. */
  inputProblem?: AppError | undefined
}

export const runningRequest = new AsyncLocalStorage<RunningRequest>()
