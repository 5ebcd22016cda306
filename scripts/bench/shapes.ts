import { PATHS } from './catalogue.ts'

/** What a made-up site's traffic looks like. Shares are of pageviews, 0 to 1. */
export interface Shape {
  days: number
  paths: number
  /** Share of sessions that are of a visitor seen before; or how many visitors there are for `hits` hits, who come in turn. */
  visitors: { repeat: number } | { of: (hits: number) => number }
  /** Share of pageviews after which the session goes on. */
  morePages: number
  engagement: number
  events: number
  errors: number
  identities: number
  /** Share of the hits that come in one hour, the first of the afternoon of the day in the middle. */
  burst: number
}

/** One session of three is of a visitor seen before. A quarter of the hits is engagement, a tenth custom events. */
const mixed: Shape = {
  days: 90,
  paths: PATHS,
  visitors: { repeat: 0.35 },
  morePages: 0.62,
  engagement: 0.4,
  events: 0.16,
  errors: 0.016,
  identities: 0.012,
  burst: 0,
}
const month: Shape = { ...mixed, days: 30 }

/** Each is a way in which a statement that fits the others can become slow. */
export const SHAPES = {
  mixed,
  /** Few visitors with many hits: 1,000 hits a visitor, 33 pageviews a session. */
  few: { ...month, visitors: { of: hits => Math.ceil(hits / 1_000) }, morePages: 0.97 },
  /** Many visitors with one hit each. */
  many: {
    ...month,
    visitors: { repeat: 0 },
    morePages: 0,
    engagement: 0,
    events: 0,
    errors: 0,
    identities: 0,
  },
  /** Pageviews only: ten hits and three sessions a visitor. */
  silent: {
    ...month,
    visitors: { of: hits => Math.ceil(hits / 10) },
    morePages: 0.7,
    engagement: 0,
    events: 0,
    errors: 0,
    identities: 0,
  },
  /** Half of the hits in one hour. */
  burst: { ...month, burst: 0.5 },
  /** Five times as many pages. */
  wide: { ...month, paths: 10_000 },
} as const satisfies Record<string, Shape>

export type ShapeName = keyof typeof SHAPES
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[]
