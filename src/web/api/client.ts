import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '../../trpc/root.ts'
import { chosenLanguage } from '../text/text.tsx'
import { watched } from './connection.ts'

/** As whom requests are sent, beside the cookie of the browser session. */
interface Sender {
  /** Team in which a signed-in person acts. */
  team?: string
  /** Access of a share, `wsh_…` or `wsa_…`. */
  bearer?: string
  /** Sends no cookie: who is signed in sees of a share, and of a public site, what others see. */
  isGuest?: boolean
}

let sender: Sender = {}

/** Sets as whom all further requests are sent. */
export function sendAs(next: Sender): void {
  sender = next
}

/** Headers of a request beside the API client, such as a download. */
export const senderHeaders = (): Record<string, string> => ({
  // That of the interface: mails about the login come in it.
  'Accept-Language': chosenLanguage(),
  ...(sender.team !== undefined && { 'X-Team': sender.team }),
  ...(sender.bearer !== undefined && { Authorization: `Bearer ${sender.bearer}` }),
})

/** Whether requests have the cookie of the browser session. */
export const senderCredentials = (): RequestCredentials => (sender.isGuest ? 'omit' : 'same-origin')

const options = {
  // Relative to the <base> of the page, so that the interface works below a path of a proxy.
  url: new URL('trpc', document.baseURI).href,
  headers: senderHeaders,
  fetch: (input: RequestInfo | URL | string, init?: RequestInit) =>
    watched(() => fetch(input, { ...init, credentials: senderCredentials() })),
  // Filters may be longer than a URL.
  methodOverride: 'POST' as const,
}

/** Put in `context` of a call that is always fast: it then shares a request with others of the same moment. */
export const TOGETHER = { together: true }

/** Put in `context` of a call that acts in one team of the person, whichever is the current one. */
export const inTeam = (team: string) => ({ team })

const teamOf = ({ team }: { team?: unknown }) => (typeof team === 'string' ? { 'X-Team': team } : {})

/**
 * Client of the service. Each call is a request of its own, so that no card waits for the slowest one; those with `TOGETHER` share
 * one.
 */
export const api = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ context }) => context.together === true,
      true: httpBatchLink({ ...options, maxItems: 50 }),
      false: httpLink({ ...options, headers: ({ op }) => ({ ...senderHeaders(), ...teamOf(op.context) }) }),
    }),
  ],
})

/** Inputs of all procedures: `Inputs['stats']['overview']`. */
export type Inputs = inferRouterInputs<AppRouter>
/** Outputs of all procedures: `Outputs['stats']['overview']`. */
export type Outputs = inferRouterOutputs<AppRouter>

export type Section = Outputs['shares']['site']['sections'][number]
