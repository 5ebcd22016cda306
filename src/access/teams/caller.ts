export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** Returns whether the role manages the team: its sites, their payments and the tokens of others. */
export const isManager = (role: Role): boolean => role === 'owner' || role === 'admin'

export const PLANS = ['active', 'trial', 'lapsed', 'none'] as const
export type Plan = (typeof PLANS)[number]

/** What a token may do; a browser session may do all of it that its role allows. */
export const SCOPES = ['read', 'write', 'ingest', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Scopes of a token that names none. `admin` is given only by name. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter(scope => scope !== 'admin')

/** Caller of a request, read from its token or browser session. A caller acts in one team with the role of one user. */
export interface Caller {
  /** Null for a browser session. */
  tokenId: string | null
  tokenName: string | null
  teamId: string
  userId: string
  /** Login of the user; null while no person has set it up. */
  loginId: string | null
  email: string
  role: Role
  scopes: Scope[]
  /** Ids of the sites that the caller reaches: those of the token that are also of the user; null for every site of the team. */
  siteIds: string[] | null
  /** Ids of the sites that the token is limited to; null for no limit, and for a browser session. */
  tokenSiteIds: string[] | null
  /** When the token ends; null for never, and for a browser session. */
  expiresAt: Date | null
  plan: Plan
  /** Set exactly when the plan is `trial`. */
  trialEndsAt: Date | null
}

/** Returns the ids in both lists; null is the list of all sites. */
export function sitesInBoth(some: string[] | null, others: string[] | null): string[] | null {
  if (!some || !others) return some ?? others
  return some.filter(id => others.includes(id))
}
