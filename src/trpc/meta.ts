import type { Scope } from '../access/teams/caller.ts'
import type { Section } from '../platform/dimensions/sections.ts'
import type { Refusals } from '../platform/errors.ts'

/** How a procedure is served over REST, with the texts about it in the API description. A query is a GET. */
export interface RestEndpoint {
  /** Method of a mutation. */
  method?: 'post' | 'put' | 'patch' | 'delete'
  /** In the syntax of Express. A field of the input that is named here, such as `:siteKey`, is taken from the path. */
  path: `/api/${string}`
  /** Status of a successful answer. Without it 200, or 204 where the output is `z.void()`. */
  ok?: 201 | 202
  /** Status of a successful answer when the resource existed already. */
  existing?: 200
  /** Template of the `Location` of the new resource; `{field}` is replaced by that field of the answer. */
  location?: string
  /** The body is not JSON but bytes, at most so many: the field `content` of the input reads them, after all checks. */
  rawBody?: number
  summary: string
  description?: string
  answer?: string
}

/** Who may call a procedure, as far as its base procedures do not say it by their refusals. */
export interface Access {
  /** Needs neither token nor session. */
  isOpen?: true
  /** Needs the session of a person; a token is refused. */
  isPersonal?: true
  /**
   * Section that readers who are no users need; `any`: every reader may call it, and what its input names is checked by itself; null or
   * left out: only users.
   */
  section?: Section | 'any' | null
  /** Readers of a share, and everybody where the site is public, may call it, too. */
  isShared?: true
  /** A token needs a scope. */
  isScoped?: true
  /** Scope of a mutation that records what happened, or that is about people or removes a site; every other mutation needs `write`. */
  scope?: 'ingest' | 'admin'
  /** What it makes can be read with, so that a token needs `read`, too. */
  givesReading?: true
}

/** Returns the scopes that a token needs to call a procedure. */
export const scopesOf = (type: string, { scope, givesReading }: Access = {}): Scope[] =>
  type === 'query' ? ['read'] : [scope ?? 'write', ...(givesReading ? (['read'] as const) : [])]

/**
 * Meta data of a procedure. tRPC merges the `.meta()` of the procedures that it is chained from with its own: a base procedure
 * gives the refusals of its check, the procedure itself gives its endpoint and refusals that it words differently.
 */
export type ProcedureMeta = Refusals & Access & (RestEndpoint | { [Key in keyof RestEndpoint]?: never })
