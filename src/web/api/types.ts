import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '../../trpc/root.ts'

/** Inputs of all procedures: `Inputs['stats']['overview']`. */
export type Inputs = inferRouterInputs<AppRouter>
/** Outputs of all procedures: `Outputs['stats']['overview']`. */
export type Outputs = inferRouterOutputs<AppRouter>

export type Section = Outputs['shares']['site']['sections'][number]
