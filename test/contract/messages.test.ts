import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError } from './requests.ts'
import { type Stats, type StatsSite, startStats } from './stats-site.ts'

let stats: Stats
let site: StatsSite
beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
})
afterAll(() => stats.close())

const CENTURIES = 'from=1970-01-01&to=2400-01-01'
const LONG = 'from=2016-01-01&to=2026-03-18'

/** Whole messages as a caller of REST sees them: the parameter, what is wrong, and what helps. */
test.each([
  [
    `/stats/timeseries?metric=visitors&${LONG}&group=day`,
    'group must leave at most 3,000 buckets: ask for larger ones, or for a shorter range',
  ],
  [
    `/stats/events/timeseries?${CENTURIES}`,
    'from must leave at most 3,000 buckets: ask for a shorter range, or for larger ones with group',
  ],
  [
    `/stats/timeseries?metric=visitors&from=2026-01-01&to=2026-03-18&compare=custom&compare_from=2016-01-01&compare_to=2026-03-18`,
    'compare_from must leave at most 3,000 buckets: compare with a shorter period, or ask for larger ones with group',
  ],
  [
    `/stats/money/movements?from=2026-01-01&to=2026-03-18&compare=custom&compare_from=2016-01-01&compare_to=2026-03-18`,
    'compare_from must leave at most 3,000 buckets: compare with a shorter period, or ask for larger ones with group',
  ],
  [
    `/stats/retention?${LONG}&period=day`,
    'period must leave at most 100 cohorts: ask for longer periods, or for a shorter range',
  ],
  [
    `/stats/people/${randomUUID()}/timeline?page=201&per_page=50`,
    'page must lie within the newest 10,000 items: ask for an earlier range',
  ],
  ['/stats/people/%00', 'person must not be empty'],
  [`/overview?goal=${randomUUID()}`, 'goal must be the id of a goal of the site'],
  [`/overview?segment=${randomUUID()}`, 'segment must be the id of a segment of the site'],
  [
    '/stats/breakdown?dimension=path&sort=converting_visitors',
    'sort converting_visitors needs conversion_goal',
  ],
  [
    '/stats/breakdown?dimension=source&sort=scroll_depth',
    'sort scroll_depth needs the dimension path or title',
  ],
])('messages of 422: %s', async (path, message) => {
  const answer = await stats.ask(`${site.path}${path}`)
  expectError(answer, 422, 'validation_failed')
  expect(answer.json.message).toBe(message)
  const [field, messages] = Object.entries<string[]>(answer.json.errors)[0]!
  expect(`${field} ${messages[0]}`).toBe(message)
})
