import { randomGoals } from './random-goals.ts'
import { type Random, randomFrom, wantedLike } from './random-values.ts'
import { addDays, localDate } from './recount-days.ts'
import type { FilterKey, Filters } from './recount-filters.ts'
import { isNegative, type Operator, operators } from './recount-values.ts'
import {
  type CountedHit,
  type Dimension,
  dimensionValue,
  hitDimensions,
  sessionDimensions,
  type World,
} from './recount-world.ts'

const dimensions = [...hitDimensions, ...hitDimensions, ...sessionDimensions, 'campaign'] as const

/** Returns filters on one to three dimensions, properties or goals that match some hits; the same filters for the same seed. */
export function randomFilters(seed: number, world: World): Filters {
  const random = randomFrom(seed)
  const filters: Filters = {}
  // Half of the values come from one hit, so that filters on several dimensions still match something.
  const usual = random.pick(world.hits)
  const someHit = () => (random.chance(0.5) ? usual : random.pick(world.hits))
  for (let count = random.pick([1, 1, 1, 2, 2, 3]); count > 0; count--) {
    const kind = random.int(10)
    if (kind === 0) filters.goal = randomGoals(random.int(2 ** 31), world, random.pick([1, 1, 1, 2]))
    else if (kind <= 2) addProps(random, filters, world)
    else addDimension(random, filters, someHit, random.pick(dimensions))
  }
  return filters
}

function addDimension(
  random: Random,
  filters: Filters,
  someHit: () => CountedHit | undefined,
  key: Exclude<FilterKey, 'prop_key' | 'prop_value'>,
): void {
  const dimension: Dimension = key === 'campaign' ? 'utm_campaign' : key
  const values = () => {
    const hit = someHit()
    return hit ? dimensionValue(hit, dimension) : ''
  }
  for (let count = random.pick([1, 1, 1, 1, 2]); count > 0; count--) {
    const operator = randomOperator(random)
    filters[key] = { ...filters[key], [operator]: wantedOf(random, operator, values) }
  }
}

/** Filters on values only where the keys of the properties are filtered positively. */
function addProps(random: Random, filters: Filters, world: World): void {
  const property = () => {
    const hit = random.pick(world.hits.filter(({ props }) => Object.keys(props).length > 0))
    return random.pick(Object.entries(hit?.props ?? { plan: 'pro' }))
  }
  const operator = randomOperator(random)
  const keys = wantedOf(random, operator, () => property()[0])
  filters.prop_key = { [operator]: keys }
  delete filters.prop_value
  if (isNegative(operator) || keys.includes('(none)') || random.chance(0.4)) return
  const valueOperator = randomOperator(random)
  filters.prop_value = { [valueOperator]: wantedOf(random, valueOperator, () => property()[1]) }
}

function randomOperator(random: Random): Operator {
  return random.chance(0.4) ? 'is' : random.pick(operators)
}

function wantedOf(random: Random, operator: Operator, values: () => string): string[] {
  const wanted: string[] = []
  for (let count = random.pick([1, 1, 2, 3]); count > 0; count--) {
    wanted.push(wantedLike(random, operator, values()))
  }
  return wanted
}

const lengths = [1, 1, 1, 2, 2, 3, 7, 30, 93, 200, 400]

/** Returns a range that begins or ends near a hit. */
export function randomRange(seed: number, world: World): { from: string; to: string } {
  const random = randomFrom(seed)
  const day = addDays(localDate(world.zone, random.pick(world.hits)?.at ?? 0), random.pick([0, 0, 0, -1, 1]))
  const length = random.pick(lengths)
  const from = addDays(day, -random.pick([0, 0, length - 1, random.int(length)]))
  return { from, to: addDays(from, length - 1) }
}
