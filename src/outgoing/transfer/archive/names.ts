// Names of the files in an archive: `team/users-0001.jsonl`, `sites/<id>/hits-0001.jsonl`.

export const MANIFEST = 'manifest.json'

/** What an archive has of a team. */
export const TEAM_KINDS = ['users'] as const
export type TeamKind = (typeof TEAM_KINDS)[number]

/** What an archive has only of a site of which retention dropped details: numbers that no hit of the archive gives. */
export const KEPT_KINDS = [
  'values',
  'kept-days',
  'kept-values',
  'kept-hit-buckets',
  'kept-session-buckets',
  'kept-sessions',
  'first-visits',
] as const
export type KeptKind = (typeof KEPT_KINDS)[number]

export const isKeptKind = (kind: string): kind is KeptKind => (KEPT_KINDS as readonly string[]).includes(kind)

/** What an archive has of each site. */
export const SITE_KINDS = [
  'settings',
  'goals',
  'funnels',
  'segments',
  'annotations',
  'alerts',
  'totals-imports',
  'totals-families',
  'totals-days',
  'visitors',
  'hits',
  'identities',
  'error-groups',
  'imports',
  ...KEPT_KINDS,
  'erased-payers',
  'facts',
  'subscriptions',
  'payments',
  'movements',
  'lifecycle-events',
  'service-events',
  'awaiting-visitors',
  'price-dependents',
  'recompute-queue',
] as const
export type SiteKind = (typeof SITE_KINDS)[number]

export interface FileName {
  /** Null for a file of the team. */
  siteId: string | null
  kind: TeamKind | SiteKind
  /** Parts of a kind are numbered from 1. */
  part: number
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const PATTERN = new RegExp(
  `^(?:team/(${TEAM_KINDS.join('|')})|sites/(${UUID})/(${SITE_KINDS.join('|')}))-(\\d{4,6})\\.jsonl$`,
)

export const fileNameOf = ({ siteId, kind, part }: FileName): string =>
  `${siteId === null ? 'team' : `sites/${siteId}`}/${kind}-${String(part).padStart(4, '0')}.jsonl`

/** @returns undefined for any name that `fileNameOf` does not return, such as one that leads out of a folder */
export function parseFileName(name: string): FileName | undefined {
  const [, teamKind, siteId = null, siteKind, part] = PATTERN.exec(name) ?? []
  const kind = (teamKind ?? siteKind) as FileName['kind'] | undefined
  if (kind === undefined) return undefined
  const parsed = { siteId, kind, part: Number(part) }
  return fileNameOf(parsed) === name ? parsed : undefined
}
