import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { type Read, useRead } from '../../api/use-read.ts'

/** What the service offers for signing in. */
export type Methods = Outputs['auth']['methods']

export const useMethods = (): Read<Methods> =>
  useRead(['methods'], signal => api.auth.methods.query(undefined, { signal }))
