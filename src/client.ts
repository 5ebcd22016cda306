import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { AppRouter } from './trpc/root.ts'

export type { AppRouter } from './trpc/root.ts'

/**
 * Returns a typed client of the service.
 * @param url base address of the service, such as `https://analytics.example.com`
 * @param token an access token, `wa_…`
 */
export function createClient(url: string, token: string) {
  return createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${url.replace(/\/+$/, '')}/trpc`,
        headers: { Authorization: `Bearer ${token}` },
        maxURLLength: 8_000,
        maxItems: 50,
      }),
    ],
  })
}
