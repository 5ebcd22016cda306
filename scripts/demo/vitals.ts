import type { Random } from '../random.ts'
import type { Device } from './devices.ts'
import type { Section } from './pages.ts'

/** Typical LCP of the sections on a fast desktop, milliseconds. */
const LCP: Partial<Record<Section, number>> = {
  blog: 1_750,
  customers: 1_900,
  docs: 950,
  app: 2_150,
  home: 1_500,
}
const USUAL_LCP = 1_250
/** What is painted last and what moves, by section. */
const LARGEST: Partial<Record<Section, string>> = {
  blog: 'article > img.cover',
  customers: '#hero > img.portrait',
  app: '#root > main > table.notes',
}
/** Version 2.4 made all pages faster. */
const SINCE_LAUNCH = 0.82

/** Returns the report of a page as its visitor measured it. */
export function vitalsOf(random: Random, section: Section, device: Device, isSinceLaunch: boolean): object {
  // Most pages load in about the typical time, and a few take several times as long.
  const luck = 0.6 + random.next() * 0.7 + random.next() ** 6 * 3
  const slowness = device.slowness * luck * (isSinceLaunch ? SINCE_LAUNCH : 1)
  const lcp = Math.round((LCP[section] ?? USUAL_LCP) * slowness)
  const inp = Math.round((section === 'app' ? 130 : 75) * slowness)
  return {
    id: random.uuid(),
    lcp,
    inp,
    cls: Math.round((section === 'blog' ? 700 : 260) * luck ** 2 * random.next()) / 10_000,
    fcp: Math.round(lcp * (0.55 + random.next() * 0.2)),
    ttfb: Math.round(lcp * (0.12 + random.next() * 0.15)),
    attribution: {
      lcp: {
        target: LARGEST[section] ?? 'main > h1',
        phase: random.pick(['resource_load_duration', 'resource_load_delay', 'element_render_delay']),
      },
      inp: {
        target: section === 'app' ? 'button.filter' : 'nav > button.menu',
        phase: 'processing_duration',
      },
      cls: { target: section === 'blog' ? 'article > aside.newsletter' : 'header.banner' },
    },
  }
}
