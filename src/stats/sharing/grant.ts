import { PUBLIC_SECTIONS, type Section } from '../../platform/dimensions/sections.ts'
import { AppError } from '../../platform/errors.ts'
import type { DimensionFilter } from '../conditions/conditions.ts'
import type { ShareFilters } from './share-filters.ts'

/** What a reader who is no user of the team may see of a site. Users have none: they see everything. */
export interface Grant {
  sections: ReadonlySet<Section>
  /** Apply to every read, beside the reader's own. */
  filters: readonly DimensionFilter[]
  mayExport: boolean
  /** The share that grants it; null for a public site. */
  share: { id: string; name: string; filters: ShareFilters; expiresAt: Date | null } | null
}

export const PUBLIC_GRANT: Grant = {
  sections: new Set(PUBLIC_SECTIONS),
  filters: [],
  mayExport: false,
  share: null,
}

/** Returns whether a reader may see a section; users, who have no grant, may see all. */
export const mayShow = (grant: Grant | null, section: Section): boolean =>
  grant === null || grant.sections.has(section)

/** @throws AppError `forbidden` for a section that the grant does not have */
export function requireSection(grant: Grant | null, section: Section): void {
  if (mayShow(grant, section)) return
  throw new AppError('forbidden', `This needs the section ${section}, which is not shared with you`)
}
