import { ROW_FILES, type SiteKind } from '../rows/row-files.ts'

// Names of the files in an archive: `team/users-0001.jsonl`, `sites/<id>/hits-0001.jsonl`.

export const MANIFEST = 'manifest.json'

/** What an archive has of a team. */
export const TEAM_KINDS = ['users'] as const
export type TeamKind = (typeof TEAM_KINDS)[number]

/** What an archive has of each site, in this order. */
export const SITE_KINDS = Object.keys(ROW_FILES) as SiteKind[]

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
