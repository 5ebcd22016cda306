import { PATHS } from './catalogue.ts'

/** Traffic of a generated site. Shares are of pageviews, 0 to 1, unless they say otherwise. */
export interface Shape {
  days: number
  paths: number
  /** Either the share of sessions of returning visitors, or the number of visitors for `hits` hits, who visit in turn. */
  visitors: { repeat: number } | { of: (hits: number) => number }
  /** Share of pageviews that another pageview of the session follows. */
  morePages: number
  engagement: number
  events: number
  errors: number
  identities: number
  /** Clicks that the tracker records by itself: outbound links, buttons and forms. */
  clicks: number
  /** Reports of Web Vitals. */
  vitals: number
  /** Payments and subscriptions for each hit. */
  payments: number
  subscriptions: number
  /** Share of the hits in one hour: 12:00 to 13:00 of the middle day. */
  burst: number
}

/** About a third of the sessions are of returning visitors. A quarter of the hits are engagement, a tenth custom events. */
const mixed: Shape = {
  days: 90,
  paths: PATHS,
  visitors: { repeat: 0.35 },
  morePages: 0.62,
  engagement: 0.4,
  events: 0.16,
  errors: 0.016,
  identities: 0.012,
  clicks: 0.1,
  vitals: 0.2,
  payments: 0.01,
  subscriptions: 0.001,
  burst: 0,
}
const month: Shape = { ...mixed, days: 30 }
/** Nothing but pageviews. */
const viewsOnly = {
  engagement: 0,
  events: 0,
  errors: 0,
  identities: 0,
  clicks: 0,
  vitals: 0,
  payments: 0,
  subscriptions: 0,
}

/** Each shape can make a statement slow that is fast for the other shapes. */
export const SHAPES = {
  mixed,
  /** Few visitors with many hits: 1,000 hits a visitor, 33 pageviews a session. */
  few: { ...month, visitors: { of: hits => Math.ceil(hits / 1_000) }, morePages: 0.97 },
  /** Many visitors with one hit each. */
  many: {
    ...month,
    visitors: { repeat: 0 },
    morePages: 0,
    ...viewsOnly,
  },
  /** Pageviews only: ten hits and three sessions a visitor. */
  silent: {
    ...month,
    visitors: { of: hits => Math.ceil(hits / 10) },
    morePages: 0.7,
    ...viewsOnly,
  },
  /** Half of the hits in one hour. */
  burst: { ...month, burst: 0.5 },
  /** Five times as many pages. */
  wide: { ...month, paths: 10_000 },
} as const satisfies Record<string, Shape>

export type ShapeName = keyof typeof SHAPES
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[]
