import type { z } from 'zod'
import type { Refusals } from '../errors.ts'
import { appRouter } from '../trpc/root.ts'
import type { Route } from './routes.ts'

/** Definition of a procedure inside tRPC. */
export interface Procedure {
  type: 'query' | 'mutation'
  /** One schema for each `.input`, in their order. */
  inputs: z.core.$ZodType[]
  output: z.core.$ZodType
  /** Refusals of the checks that the procedure is built from. */
  meta?: Refusals
}

export function procedureOf({ procedure }: Pick<Route, 'procedure'>): Procedure {
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: Procedure }>
  return procedures[procedure]!._def
}
