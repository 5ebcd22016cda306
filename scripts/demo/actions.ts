import type { Random, Weighted } from '../random.ts'
import type { Page, Section } from './pages.ts'

/** An event, as fields of its body. */
export interface Action {
  name: string
  properties: Record<string, string | number>
}

/** What the tracker records by itself. */
const outbound = (selector: string, text: string, url: string): Action => ({
  name: 'outbound',
  properties: { selector, text, url: `https://${url}` },
})
const download = (selector: string, file: string): Action => ({
  name: 'download',
  properties: { selector, text: 'Download', url: `https://fieldnote.example/files/${file}`, file },
})
const button = (selector: string, text: string): Action => ({
  name: 'button',
  properties: { selector, text },
})
const form = (selector: string, url: string): Action => ({ name: 'form', properties: { selector, url } })
const copy = (text: string): Action => ({ name: 'copy', properties: { selector: 'pre.code', text } })
/** What the website sends by a call. */
const event = (name: string, properties: Action['properties']): Action => ({ name, properties })

const GITHUB = outbound('a.github', 'GitHub', 'github.com/fieldnote/importers')
const NEWSLETTER = form('#newsletter', '/newsletter')

const ON_PAGES: Record<Section, [share: number, actions: readonly Weighted<Action>[]]> = {
  home: [
    0.16,
    [
      [button('#hero-start', 'Start for free'), 5],
      [button('a.play', 'Watch the tour'), 3],
      [NEWSLETTER, 1],
    ],
  ],
  features: [
    0.14,
    [
      [button('a.cta', 'Start for free'), 4],
      [download('a.template', 'interview-guide.pdf'), 3],
    ],
  ],
  pricing: [
    0.3,
    [
      [event('plan_select', { interval: 'month' }), 5],
      [event('plan_select', { interval: 'year' }), 4],
    ],
  ],
  docs: [
    0.22,
    [
      [copy('npm install @fieldnote/importer'), 5],
      [copy('curl https://api.fieldnote.example/v1/notes'), 4],
      [GITHUB, 3],
      [event('search', { query: 'export' }), 3],
      [event('search', { query: 'webhook' }), 2],
      [event('search', { query: 'sso' }), 2],
    ],
  ],
  blog: [
    0.1,
    [
      [NEWSLETTER, 4],
      [outbound('a.share', 'Share', 'www.linkedin.com/sharing'), 2],
      [GITHUB, 1],
    ],
  ],
  customers: [
    0.14,
    [
      [download('a.case', 'case-study-harbor-health.pdf'), 4],
      [button('a.cta', 'Start for free'), 3],
    ],
  ],
  compare: [
    0.18,
    [
      [button('a.cta', 'Start for free'), 4],
      [download('a.sheet', 'comparison.xlsx'), 2],
    ],
  ],
  changelog: [
    0.12,
    [
      [GITHUB, 3],
      [outbound('a.feed', 'Feed', 'feeds.example/fieldnote'), 1],
    ],
  ],
  company: [
    0.14,
    [
      [form('#contact', '/contact'), 4],
      [outbound('a.jobs', 'Open positions', 'jobs.example/fieldnote'), 3],
    ],
  ],
  app: [
    0.6,
    [
      [event('note_created', { kind: 'interview' }), 9],
      [event('note_created', { kind: 'survey' }), 5],
      [event('export', { format: 'csv' }), 4],
      [event('export', { format: 'markdown' }), 3],
      [event('export', { format: 'pdf' }), 2],
      [event('invite_sent', { role: 'editor' }), 3],
      [event('invite_sent', { role: 'reader' }), 2],
      [event('integration_connected', { name: 'slack' }), 1],
      [event('integration_connected', { name: 'zoom' }), 1],
    ],
  ],
}

/** Returns what a visitor does on a page; mostly nothing. */
export function actionOn(random: Random, { section }: Page): Action | undefined {
  const [share, actions] = ON_PAGES[section]
  return random.chance(share) ? random.weigh(actions) : undefined
}

/** Shares of pageviews that are scrolled and read, and how long; seconds. */
const READING: Partial<Record<Section, [least: number, most: number]>> = {
  blog: [25, 260],
  docs: [20, 190],
  app: [30, 240],
  home: [6, 60],
}

/** Returns engaged milliseconds and scroll depth of a pageview. */
export function engagementOn(random: Random, { section }: Page): { time: number; sd: number } {
  const [least, most] = READING[section] ?? [8, 90]
  const share = random.next() ** 1.7
  return {
    time: Math.round((least + (most - least) * share) * 1_000),
    sd: random.between(20, 60) + Math.round(40 * share),
  }
}
