import { createTRPCClient, httpBatchLink, type TRPCClient, TRPCClientError } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '../trpc/root.ts'

export type { AppRouter } from '../trpc/root.ts'
/** Inputs of all procedures: `Inputs['stats']['overview']`. */
export type Inputs = inferRouterInputs<AppRouter>
/** Outputs of all procedures: `Outputs['stats']['overview']`. */
export type Outputs = inferRouterOutputs<AppRouter>

/**
 * What a refused call rejects with. `data` is undefined when no answer came; otherwise `data.code` says why, `data.errors` what is wrong by
 * field (a field that the procedure does not have, too), and `data.retry_after` after how many seconds to try again.
 */
export type ServiceError = TRPCClientError<AppRouter>
export const isServiceError = (error: unknown): error is ServiceError => error instanceof TRPCClientError
export { TRPCClientError }

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
