import { accessLog } from './access-log/access-log.ts'
import type { Converter } from './converter.ts'
import { ga4 } from './ga4/ga4.ts'
import { goatcounter } from './goatcounter.ts'
import { matomo } from './matomo/matomo.ts'
import { plausible } from './plausible.ts'
import { posthog } from './posthog/posthog.ts'
import { simpleAnalytics } from './simple-analytics.ts'
import { umami } from './umami/umami.ts'

/** Converters by the name of their format: `import:<name>` on the command line, `format` in the API. */
export const CONVERTERS: Record<string, Converter> = {
  umami,
  goatcounter,
  matomo,
  'simple-analytics': simpleAnalytics,
  ga4,
  plausible,
  posthog,
  'access-log': accessLog,
}
