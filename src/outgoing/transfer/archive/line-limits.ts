import { ROW_FILES, type SiteKind } from '../rows/row-files.ts'
import type { TeamKind } from './names.ts'

const MIB = 1024 * 1024

/**
 * Returns the most bytes of a line of a kind. The visitors of each value of a day may be many; a restoration holds a few copies of one
 * line. Lines of other kinds, such as states of subscriptions and funnels, are far smaller.
 */
export const maxLineBytes = (kind: SiteKind | TeamKind): number =>
  (kind !== 'users' && ROW_FILES[kind].isKept ? 64 : 16) * MIB

export const tooLong = (kind: SiteKind | TeamKind): string =>
  `a line that is longer than ${maxLineBytes(kind) / MIB} MiB`
