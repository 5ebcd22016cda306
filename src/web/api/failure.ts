import { TRPCClientError } from '@trpc/client'
import type { AppRouter } from '../../trpc/root.ts'

/**
 * `away`: there was no answer. `too_slow`: the answer needs more than the database can give now. `signed_out`: the session has ended.
 */
export type FailureKind =
  | 'away'
  | 'too_slow'
  | 'signed_out'
  | 'refused'
  | 'missing'
  | 'invalid'
  | 'limited'
  | 'unknown'

/** What went wrong with a request, for the page to show. */
export interface Failure {
  kind: FailureKind
  /** `code` of the API's error. */
  code?: string
  /** What the service said, in English. */
  message: string
  /** Of an answer that is being prepared: which share is done, from 0 to 1. */
  share?: number | undefined
  /** Messages by field of the input. */
  fields: Record<string, string[]>
}

const KINDS: Record<number, FailureKind> = {
  400: 'invalid',
  401: 'signed_out',
  402: 'refused',
  403: 'refused',
  404: 'missing',
  413: 'invalid',
  422: 'invalid',
  429: 'limited',
  503: 'too_slow',
}

/** What the API answered to a request beside the client, such as a download. */
export class AnswerError extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Reads the error of a call. A proxy in front of the service may answer with a page of its own: that is `away`. */
export function failureOf(error: unknown): Failure {
  if (error instanceof AnswerError)
    return { kind: KINDS[error.status] ?? 'unknown', message: error.message, fields: {} }
  if (!(error instanceof TRPCClientError)) return { kind: 'unknown', message: String(error), fields: {} }
  const data = (error as TRPCClientError<AppRouter>).data
  if (!data) return { kind: 'away', message: error.message, fields: {} }
  const { httpStatus, code, message, errors = {}, share } = data
  return { kind: KINDS[httpStatus] ?? 'unknown', code, message, share, fields: errors }
}

/** Returns what the service said about a field, as sentences: it begins some with the name of the field. */
export const messagesAt = (failure: Failure | undefined, field: string): string[] | undefined =>
  failure?.fields[field]?.map(message => {
    const text = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
    return text.charAt(0).toUpperCase() + text.slice(1)
  })
