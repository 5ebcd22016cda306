import { AsyncLocalStorage } from 'node:async_hooks'
import type { Credentials } from '../access/teams/credentials.ts'
import type { AppError } from '../platform/errors.ts'
import type { Language } from '../platform/mail/languages.ts'
import type { PageUrl } from '../platform/schema/pagination.ts'
import type { Services } from '../platform/services.ts'

/**
 * Services and request data that every procedure receives. `network` is used only for limits and never leaves the process; with
 * several calls in one request, `showRate` shows the lowest remaining limit.
 */
export interface Context extends Services, Credentials {
  requestId: string
  /** Network that the audit log and the list of devices may show. */
  auditNetwork: string
  userAgent: string
  /** The first of `Accept-Language` that mails have; null for none. */
  language: Language | null
  /** Sets the cookie that ties a sign-in at the provider of single sign-on to this browser, or removes it. */
  setFlowCookie: (secret: string | null) => void
  /** Of a browser that has signed in before. */
  knownBrowserCookie: string | undefined
  setKnownBrowserCookie: (value: string) => void
  /** Whether a page of another origin sent the request. */
  isForeignPage: boolean
  /** Sets the header that says from when on the site has details. With several calls in one request, the latest time wins. */
  showDetailsFrom: (detailsFrom: Date) => void
  /** Whether the request was charged already: a further block of a download. */
  isCharged?: boolean
  /** Tells the REST adapter that the resource existed already, so that nothing was created. */
  sayExisting: () => void
  /** Aborts when the client has disconnected or has received its answer. */
  signal: AbortSignal
  /**
   * Refuses an input with fields that the procedure does not have; undefined where they are left out (REST), or refused before (assistants).
   * @throws AppError `validation_failed`
   */
  refuseUnknown?: (procedure: string, input: unknown) => void
  /** Returns the URL of another page of the answer; null for tRPC, whose calls have no page URLs. */
  pageUrl: PageUrl
}

/** Data of a tRPC request, for errors that tRPC raises without a context. */
export interface RunningRequest {
  requestId: string
  /** Why the input cannot be read. Reported only when a procedure reads its input, so after 401 and 429. */
  inputProblem?: AppError | undefined
}

export const runningRequest = new AsyncLocalStorage<RunningRequest>()
