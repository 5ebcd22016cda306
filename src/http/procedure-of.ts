import type { z } from 'zod'
import type { Refusals } from '../errors.ts'
import { appRouter } from '../trpc/root.ts'
import type { Route } from './routes.ts'

/** What tRPC knows of a procedure. */
export interface Procedure {
  type: 'query' | 'mutation'
  /** One for each `.input`, in their order. */
  inputs: z.core.$ZodType[]
  output: z.core.$ZodType
  /** What the checks it is built from answer with. */
  meta?: Refusals
}

export function procedureOf({ procedure }: Pick<Route, 'procedure'>): Procedure {
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: Procedure }>
  return procedures[procedure]!._def
}
