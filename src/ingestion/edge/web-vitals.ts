import { z } from 'zod'
import type { VitalsReport } from '../hit.ts'
import { absentIfNull, described, EXAMPLE, key, optional, page, sender, uuid } from './hit-fields.ts'

/** Longer times and larger shifts are no measurements. */
const MOST_MS = 600_000
const MOST_SHIFT = 1_000
const MAX_TARGET = 255

const measured = (max: number, description: string, example: number) => {
  const message = `must be a number from 0 to ${max}`
  return described(absentIfNull(z.number(message).min(0, message).max(max, message)), description, example)
}

const target = described(
  optional(MAX_TARGET),
  'CSS selector of the element that decided the value.',
  '#hero > img',
)

const phase = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  described(
    absentIfNull(z.enum(names, `must be one of ${names.join(', ')}`)),
    'The longest part of the time.',
    names[0],
  )

const shape = <Fields extends z.ZodRawShape>(fields: Fields) =>
  absentIfNull(z.object(fields, 'must be an object'))

const about = <Fields extends z.ZodRawShape>(description: string, fields: Fields) =>
  described(shape(fields), description)

const Attribution = described(
  shape({
    lcp: about('Of `lcp`.', {
      target,
      phase: phase([
        'time_to_first_byte',
        'resource_load_delay',
        'resource_load_duration',
        'element_render_delay',
      ]),
    }),
    inp: about('Of `inp`.', {
      target,
      phase: phase(['input_delay', 'processing_duration', 'presentation_delay']),
    }),
    cls: about('Of `cls`.', { target }),
    fcp: about('Of `fcp`.', { phase: phase(['time_to_first_byte', 'first_byte_to_fcp']) }),
    ttfb: about('Of `ttfb`.', { phase: phase(['waiting', 'cache', 'dns', 'connection', 'request']) }),
  }),
  'What decided the values. That of a metric without a value is not looked at.',
)

const report = {
  ...sender,
  url: page,
  id: described(
    uuid,
    'Id of the report, made for one view of a page. A later report with the id replaces this one.',
  ),
  lcp: measured(MOST_MS, 'Largest Contentful Paint, milliseconds.', 2_140.5),
  inp: measured(MOST_MS, 'Interaction to Next Paint, milliseconds.', 96),
  cls: measured(MOST_SHIFT, 'Cumulative Layout Shift.', 0.0213),
  fcp: measured(MOST_MS, 'First Contentful Paint, milliseconds.', 1_180),
  ttfb: measured(MOST_MS, 'Time to First Byte, milliseconds.', 310.2),
  attribution: Attribution,
}

type Metric = 'lcp' | 'inp' | 'cls' | 'fcp' | 'ttfb'

const hasMetric = ({ lcp, inp, cls, fcp, ttfb }: Partial<Record<Metric, number>>): boolean =>
  (lcp ?? inp ?? cls ?? fcp ?? ttfb) !== undefined

const NO_METRIC = { path: ['lcp'], message: 'is required when none of inp, cls, fcp and ttfb is given' }

/** The body of a report. */
export const WebVitals = z.object(report).refine(hasMetric, NO_METRIC)

/** The body of a report with the tracking key. */
export const KeyedWebVitals = z
  .object({ key, ...report })
  .refine(hasMetric, NO_METRIC)
  .meta({
    id: 'WebVitalsReport',
    example: {
      ...EXAMPLE,
      url: { path: '/pricing' },
      id: '0b8a4d1e-5a7f-4a53-9c66-3d2f3c0f7c11',
      lcp: 2_140.5,
      inp: 96,
      cls: 0.0213,
      attribution: {
        lcp: { target: '#hero > img', phase: 'resource_load_duration' },
        inp: { target: 'button.buy', phase: 'processing_duration' },
      },
    },
  })
export type WebVitals = z.infer<typeof WebVitals>

/** Rounds to ten-thousandths; halves of the decimal as sent, not of its binary product, go up. */
function tenThousandths(value: number): number {
  const [digits, exponent = 0] = String(value).split('e')
  return Math.round(Number(`${digits}e${Number(exponent) + 4}`))
}

/** Returns a report in the units in which it is stored; halves are rounded up. */
export function readVitals({ id, lcp, inp, cls, fcp, ttfb, attribution }: WebVitals): VitalsReport {
  const of = attribution
  return {
    id,
    ...(lcp !== undefined && { lcp: Math.round(lcp), lcpTarget: of?.lcp?.target, lcpPhase: of?.lcp?.phase }),
    ...(inp !== undefined && { inp: Math.round(inp), inpTarget: of?.inp?.target, inpPhase: of?.inp?.phase }),
    ...(cls !== undefined && { cls: tenThousandths(cls), clsTarget: of?.cls?.target }),
    ...(fcp !== undefined && { fcp: Math.round(fcp), fcpPhase: of?.fcp?.phase }),
    ...(ttfb !== undefined && { ttfb: Math.round(ttfb), ttfbPhase: of?.ttfb?.phase }),
  }
}
