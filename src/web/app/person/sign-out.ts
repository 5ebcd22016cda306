import { api } from '../../api/client.ts'
import { setMember } from '../../api/session.ts'

/** Ends the session and leads to the page for signing in. */
export async function signOut(): Promise<void> {
  setMember(false)
  await api.auth.logout.mutate().catch(() => undefined)
  location.assign(new URL('login#ended', document.baseURI))
}
