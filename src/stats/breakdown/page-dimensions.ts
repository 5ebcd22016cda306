import type { BreakdownDimension } from '../../platform/dimensions/dimensions.ts'

/** Dimensions whose rows have the time on the page and the scroll depth. */
export const PAGES: ReadonlySet<BreakdownDimension> = new Set(['path', 'title'])
