import { api, type Outputs } from '../../api/client.ts'
import { setMember } from '../../api/session.ts'
import { type Read, useRead } from '../../api/use-read.ts'

/** What the service offers for signing in. */
export type Methods = Outputs['auth']['methods']

export const useMethods = (): Read<Methods> =>
  useRead(['methods'], signal => api.auth.methods.query(undefined, { signal }))

/** Ends the session and leads to the page for signing in. */
export async function signOut(): Promise<void> {
  setMember(false)
  await api.auth.logout.mutate().catch(() => undefined)
  location.assign(new URL('login#ended', document.baseURI))
}
