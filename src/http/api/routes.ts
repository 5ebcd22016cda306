import type { z } from 'zod'
import type { Refusals } from '../../platform/errors.ts'
import type { Access, ProcedureMeta, RestEndpoint } from '../../trpc/meta.ts'
import { appRouter } from '../../trpc/root.ts'

/** A procedure with the endpoint that serves it. */
export interface Route extends Omit<RestEndpoint, 'method' | 'ok'>, Access {
  method: 'get' | NonNullable<RestEndpoint['method']>
  /** Status of a successful answer; 204 has no body. */
  ok: 200 | 201 | 202 | 204
  /** Path of the procedure in the router: `sites.list`. */
  procedure: string
  type: 'query' | 'mutation'
  /** One schema for each `.input`, in their order. */
  inputs: z.core.$ZodType[]
  output: z.core.$ZodType
  /** Refusals of the checks that the procedure is built from, and its own. */
  refusals: Refusals
}

type Definition = Pick<Route, 'type' | 'inputs' | 'output'> & { meta: ProcedureMeta }

/**
 * The REST surface, in the order of the router, which decides between two paths that match the same URL.
 * `test/contract/access.txt` lists it.
 */
export const routes: readonly Route[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: Definition }>,
).map(([procedure, { _def }]) => {
  const { type, inputs, output, meta } = _def
  const method = type === 'query' ? 'get' : meta.method
  if (!meta.path || !method) throw new Error(`The procedure ${procedure} has no endpoint in its .meta()`)
  const ok = meta.ok ?? (output._zod.def.type === 'void' ? 204 : 200)
  return { ...meta, method, ok, procedure, type, inputs, output, refusals: meta }
})
