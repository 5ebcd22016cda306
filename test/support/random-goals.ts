import { type Random, randomFrom, wantedLike } from './random-values.ts'
import type { RecountGoal } from './recount-conversions.ts'
import { operators } from './recount-values.ts'
import type { CountedHit, World } from './recount-world.ts'

/** Goals of every type that hits of a world mostly reach, such as the API accepts. */

const autocaptures = ['outbound', 'download', 'button', 'form', 'copy'] as const
const types = ['page', 'page', 'scroll', 'scroll', 'event', 'event', 'event', ...autocaptures] as const

/** No two of them alike. */
export function randomGoals(seed: number, world: World, count: number): RecountGoal[] {
  const random = randomFrom(seed)
  const goals: RecountGoal[] = []
  const known = new Set<string>()
  while (goals.length < count) {
    const number = known.size + 1
    const goal = randomGoal(random, world, number)
    const { id: _id, display_name: _name, currency: _currency, ...definition } = goal
    const key = JSON.stringify(definition)
    if (!known.has(key)) goals.push(goal)
    known.add(key)
  }
  return goals
}

function randomGoal(random: Random, world: World, number: number): RecountGoal {
  const type = random.pick(types)
  const match_operator = random.pick(operators)
  const goal: RecountGoal = {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    display_name: `${random.pick(['goal', 'Goal', 'GOAL'])} ${number}`,
    type,
    match_value: null,
    match_operator,
    scroll_threshold: -1,
    currency: null,
    custom_props: {},
  }
  switch (type) {
    case 'scroll':
    case 'page':
      if (type === 'scroll') goal.scroll_threshold = random.pick([0, 1, 25, 50, 90, 100])
      goal.match_value = pathLike(random, goal, world)
      return goal
    case 'event': {
      const hit = someHit(random, world, 'event')
      goal.match_value = wantedLike(random, match_operator, hit?.values.event_name ?? 'signup')
      if (random.chance(0.6)) goal.currency = 'USD'
      if (hit && random.chance(0.3)) goal.custom_props = someProps(random, hit)
      return goal
    }
    default: {
      if (random.chance(0.35)) return goal
      const selector = someHit(random, world, type)?.props.selector ?? '#buy'
      goal.match_value = wantedLike(random, match_operator, selector)
      return goal
    }
  }
}

/** Paths of goals begin with a slash, so that what is looked for begins at a slash of the path. */
function pathLike(random: Random, { match_operator }: RecountGoal, world: World): string {
  const path = someHit(random, world, 'pageview')?.values.path ?? '/'
  const slash = random.chance(0.5) ? path.lastIndexOf('/') : 0
  switch (match_operator) {
    case 'contains':
    case 'does_not_contain':
      return path.slice(slash, slash + 1 + random.int(path.length - slash))
    case 'ends_with':
      return path.slice(slash)
    case 'matches_regex':
      return `/${random.pick(['docs', 'pricing$', '[a-z]+/', '.*ing', '(docs|pricing)', ''])}`
    case 'matches_pattern':
      return random.pick(['/*', '/**', '/docs/*', '/*ing', '/**ing', path])
    default: {
      const wanted = wantedLike(random, match_operator, path)
      return wanted.startsWith('/') ? wanted : path
    }
  }
}

function someHit(random: Random, world: World, type: CountedHit['type']): CountedHit | undefined {
  return random.pick(world.hits.filter(hit => hit.type === type))
}

/** One or all of the hit's, without empty values, three at most. */
function someProps(random: Random, hit: CountedHit): Record<string, string> {
  const properties = Object.entries(hit.props).filter(([, value]) => value !== '')
  return Object.fromEntries(properties.slice(0, random.pick([1, 3])))
}
