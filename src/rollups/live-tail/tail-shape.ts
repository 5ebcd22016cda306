import { COPIED_COLUMNS, dimensionsOfLevel } from '../../dimensions/dimensions.ts'
import { ERRORS } from '../../dimensions/rolled-up.ts'
import { Rows } from './columns.ts'

/** Kinds of hits. */
const OTHER = 0
export const PAGEVIEW = 1
export const CUSTOM_EVENT = 2
export const ENGAGEMENT = 3
const KINDS: Record<string, number> = { pageview: PAGEVIEW, event: CUSTOM_EVENT, engagement: ENGAGEMENT }
export const kindOf = (type: string): number => KINDS[type] ?? OTHER

/** Dimensions of hits, and errors. */
export const HIT_DIMENSIONS = [...dimensionsOfLevel('hit'), ERRORS] as const
export type HitDimension = (typeof HIT_DIMENSIONS)[number]
/** Those whose values have engagement. */
export const ENGAGED: ReadonlySet<string> = new Set(['path', 'title'])

/** Bits of `seen` of a visited value. */
export const SEEN = 1
export const ENGAGED_ON = 2

/** The rows have changed in a way that a tail cannot follow: it must be built again. */
export class TailLost extends Error {}
/** The rows of a site do not fit into a tail. Building it again soon would end in the same way. */
export class TailUnfit extends TailLost {}

export const sessionRows = () =>
  new Rows({
    sessionNo: 'f64',
    visitor: 'u32',
    startedAt: 'f64',
    firstAt: 'f64',
    lastAt: 'f64',
    pageviews: 'u32',
    events: 'u32',
    /** Time of the last pageview, 0 without one. */
    exitAt: 'f64',
    exit: 'u32',
    isOpened: 'u8',
  } as const)
export const dimensionRows = () =>
  new Rows(Object.fromEntries(COPIED_COLUMNS.map(name => [name, 'u32' as const])) as Record<string, 'u32'>)
export const hitRows = () =>
  new Rows({
    at: 'f64',
    hash: 'i32',
    session: 'u32',
    kind: 'u8',
    path: 'u32',
    title: 'u32',
    hostname: 'u32',
    event_name: 'u32',
    error: 'u32',
  } as const)
