import { normalizeDomain } from '../../access/sites/domain.ts'
import { invalidField } from '../../platform/errors.ts'
import { isWithin } from '../../platform/schema/validation.ts'
import { type GoalBody, type GoalDefinition, isBlank } from './goal-schema.ts'

/** Returns the goal that a valid body describes, with defaults for omitted fields. */
export function definitionOf(body: GoalBody): GoalDefinition {
  const type = body.match_type
  const matchOperator = body.match_operator ?? (type === 'event' ? 'is' : 'matches_pattern')
  const given = isBlank(body.match_value) ? null : body.match_value!
  const isPath = type === 'page' || type === 'scroll'
  const goal = {
    type,
    // Do not add a slash to a regular expression: before `^` or `.*` it would change the meaning.
    matchValue: isPath && matchOperator !== 'matches_regex' ? withSlash(given!) : given,
    matchOperator,
    scrollThreshold: body.scroll_threshold ?? -1,
    currency: body.currency ?? null,
    customProps: body.custom_props ?? {},
  }
  return { ...goal, displayName: isBlank(body.display_name) ? nameOf(goal) : body.display_name! }
}

/**
 * Takes the site's own address off the path of a valid body: paths of pages have none.
 * @param field what the error names
 * @throws AppError `validation_failed` for the address of another site, with which the goal could not convert
 */
export function forSite(body: GoalBody, { domain }: { domain: string }, field = 'match_value'): GoalBody {
  const { match_type: type, match_operator: operator, match_value: value } = body
  if ((type !== 'page' && type !== 'scroll') || operator === 'matches_regex' || !value) return body
  const [origin, scheme] = /^\s*((?:https?:)?\/\/)?[^/?#]*/i.exec(value)!
  if (isOf(domain, origin)) return { ...body, match_value: value.slice(origin.length) || '/' }
  if (!scheme || scheme === '//') return body
  throw invalidField(
    field,
    `must be a path of ${domain}, such as /pricing: pages of other addresses are not counted here`,
  )
}

/** Tells whether an origin is that of a site, with or without `www.` and a scheme. */
function isOf(domain: string, origin: string): boolean {
  const host = normalizeDomain(origin)
  return host !== undefined && bare(host) === bare(domain)
}

const bare = (domain: string) => domain.replace(/^www\./, '')

const withSlash = (path: string) => (path.startsWith('/') ? path : `/${path}`)

const MAX_NAME = 255

function nameOf(goal: Omit<GoalDefinition, 'displayName'>): string {
  const name = fullNameOf(goal)
  return isWithin(name, MAX_NAME) ? name : `${[...name].slice(0, MAX_NAME - 1).join('')}…`
}

function fullNameOf({ type, matchValue, scrollThreshold }: Omit<GoalDefinition, 'displayName'>): string {
  switch (type) {
    case 'page':
      return `Visit ${matchValue}`
    case 'scroll':
      return `Scroll ${scrollThreshold}% on ${matchValue}`
    case 'event':
      return matchValue!
    default: {
      const kind = type[0]!.toUpperCase() + type.slice(1)
      return matchValue === null ? kind : `${kind}: ${matchValue}`
    }
  }
}
