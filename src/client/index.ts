import { createTRPCClient, httpBatchLink, type TRPCClient } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '../trpc/root.ts'

export type { AppRouter } from '../trpc/root.ts'
/** Inputs of all procedures: `Inputs['stats']['overview']`. */
export type Inputs = inferRouterInputs<AppRouter>
/** Outputs of all procedures: `Outputs['stats']['overview']`. */
export type Outputs = inferRouterOutputs<AppRouter>

/**
 * Returns a typed client of the service.
 * @param url base address of the service, such as `https://analytics.example.com`
 * @param token an access token, `wa_…`
 */
export function createClient(url: string, token: string): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url.replace(/\/+$/, '')}/trpc`,
        headers: { Authorization: `Bearer ${token}` },
        // Filters may be longer than a URL.
        methodOverride: 'POST',
        maxItems: 50,
      }),
    ],
  })
}
