import type { BreakdownDimension } from '../../dimensions/dimensions.ts'

/** Dimensions of which a row has the time on the page and the scroll depth. */
export const PAGES: ReadonlySet<BreakdownDimension> = new Set(['path', 'title'])
