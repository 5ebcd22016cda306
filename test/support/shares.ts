import type { Answer, Api } from './api.ts'
import { signIn } from './browser-session.ts'

/** Shares a site as a signed-in owner of its team: only a browser is shown the link. */
export async function shareInBrowser(
  api: Api,
  { teamId }: { teamId: string },
  /** `/api/sites/…` */
  path: string,
  body: object,
): Promise<Answer> {
  const { headers } = await signIn(api, { teamId })
  return api.call('POST', `${path}/shares`, { headers, body })
}
