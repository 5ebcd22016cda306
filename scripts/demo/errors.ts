import { DAY_MS } from '../../src/platform/lib/time.ts'
import type { Random } from '../random.ts'
import type { Section } from './pages.ts'
import type { Calendar } from './rhythm.ts'

interface ErrorGroup {
  name: string
  message: string
  /** Function, file, line and column of each frame, the innermost first. */
  frames: [where: string, file: string, line: number, column: number][]
  sections: Section[]
  /** Share of the pageviews of these sections that have the error. */
  share: number
  /** Days from the launch: the first and the last on which it occurs. */
  days?: [first: number, last: number]
}

const GROUPS: ErrorGroup[] = [
  {
    name: 'TypeError',
    message: "Cannot read properties of undefined (reading 'seats')",
    frames: [
      ['priceOf', 'pricing.3f9c1a.js', 214, 31],
      ['PlanCard', 'pricing.3f9c1a.js', 88, 17],
      ['renderWithHooks', 'vendor.b81d07.js', 1042, 22],
    ],
    sections: ['pricing'],
    share: 0.03,
    days: [0, 400],
  },
  {
    name: 'ChunkLoadError',
    message: 'Loading chunk 417 failed after the release of 2.4',
    frames: [
      ['requireChunk', 'runtime.5520ce.js', 1, 1873],
      ['loadReports', 'app.90ab4e.js', 3310, 9],
    ],
    sections: ['app', 'features'],
    share: 0.05,
    days: [0, 3],
  },
  {
    name: 'NetworkError',
    message: 'The request for /api/notes was aborted',
    frames: [
      ['fetchNotes', 'app.90ab4e.js', 912, 13],
      ['sync', 'app.90ab4e.js', 871, 5],
      ['onVisible', 'app.90ab4e.js', 640, 3],
    ],
    sections: ['app'],
    share: 0.035,
  },
  {
    name: 'Error',
    message: 'ResizeObserver loop completed with undelivered notifications.',
    frames: [],
    sections: ['docs', 'blog', 'features'],
    share: 0.004,
  },
  {
    name: 'RangeError',
    message: 'Invalid time zone specified: Etc/Unknown',
    frames: [
      ['formatDate', 'site.7d20f3.js', 77, 19],
      ['ChangelogEntry', 'site.7d20f3.js', 402, 24],
    ],
    sections: ['changelog', 'blog'],
    share: 0.006,
  },
  {
    name: 'SyntaxError',
    message: 'Unexpected token \'<\', "<!doctype "... is not valid JSON',
    frames: [
      ['parseJson', 'site.7d20f3.js', 31, 12],
      ['searchDocs', 'docs.c4e190.js', 118, 21],
    ],
    sections: ['docs'],
    share: 0.012,
    days: [-400, 12],
  },
]

/** Returns the error that a pageview has, as fields of an event; mostly none. */
export function errorOn(
  random: Random,
  { launch }: Calendar,
  hostname: string,
  section: Section,
  at: number,
) {
  const day = Math.floor((at - launch) / DAY_MS)
  const group = GROUPS.find(
    ({ sections, share, days: [first, last] = [-400, 400] }) =>
      sections.includes(section) && day >= first && day <= last && random.chance(share),
  )
  if (!group) return undefined
  const { name, message, frames } = group
  const urlOf = (file: string) => `https://${hostname}/assets/${file}`
  const stack = frames.map(
    ([where, file, line, column]) => `    at ${where} (${urlOf(file)}:${line}:${column})`,
  )
  const [, file, line, column] = frames[0] ?? []
  return {
    name: 'error',
    error: {
      name,
      message,
      stack: [`${name}: ${message}`, ...stack].join('\n'),
      ...(file && { file_name: urlOf(file), line_number: line, column_number: column }),
    },
  }
}
