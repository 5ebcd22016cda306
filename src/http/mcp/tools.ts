import { type Route, routes } from '../api/routes.ts'
import { type Arguments, argumentsOf } from './arguments.ts'

/**
 * What an assistant may ask, by the name of the tool: the procedure that answers. All of them only read. What one needs to
 * answer a question about numbers, and no settings.
 */
const PROCEDURES = {
  list_sites: 'sites.list',
  read_overview: 'stats.overview',
  read_timeseries: 'stats.timeseries',
  break_down_traffic: 'stats.breakdown',
  list_filter_values: 'stats.filterValues',
  explain_number: 'stats.explain',
  read_live: 'stats.live',
  list_page_titles: 'stats.pageTitles',
  report_goals: 'stats.goals',
  list_funnels: 'funnels.list',
  report_saved_funnel: 'stats.savedFunnel',
  report_funnel: 'stats.funnel',
  read_journeys: 'stats.journeys',
  read_retention: 'stats.retention',
  list_events: 'stats.events',
  count_events: 'stats.eventsTimeseries',
  break_down_event_properties: 'stats.propertyBreakdown',
  list_errors: 'stats.errors',
  read_error: 'stats.error',
  list_error_occurrences: 'stats.errorEvents',
  read_web_vitals: 'stats.webVitals',
  break_down_web_vitals: 'stats.webVitalsBreakdown',
  read_money: 'stats.money',
  read_mrr_movements: 'stats.moneyMovements',
  list_mrr_changes: 'stats.moneyChanges',
  break_down_money: 'stats.moneyBreakdown',
  read_lifetime_value: 'stats.moneyLifetimeValue',
  list_customers: 'stats.moneyCustomers',
  list_subscriptions: 'stats.moneySubscriptions',
  list_people: 'stats.people',
  read_person: 'stats.person',
  read_timeline_of_person: 'stats.timeline',
  list_sessions: 'stats.sessions',
  read_session: 'stats.session',
  list_annotations: 'annotations.list',
  list_segments: 'segments.list',
}

export interface Tool extends Arguments {
  description: string
  route: Route
}

/** All tools by name, made at the first call: few processes are ever asked. */
let made: Map<string, Tool> | undefined

export function findTools(): ReadonlyMap<string, Tool> {
  made ??= new Map(Object.entries(PROCEDURES).map(([name, procedure]) => [name, toolOf(procedure)]))
  return made
}

function toolOf(procedure: string): Tool {
  const route = routes.find(each => each.procedure === procedure)
  if (route?.type !== 'query') throw new Error(`${procedure} is no procedure that reads`)
  // The usual answers need no words.
  const answer = /^(A page of|A bare array|The )/.test(route.answer ?? '') ? undefined : route.answer
  const sentences = [route.summary, route.description, answer && `Answers: ${answer}`]
  const description = sentences.filter(Boolean).map(text => `${text!.replace(/\.$/, '')}.`)
  // What readers of a share may see does not matter to a token.
  return {
    route,
    ...argumentsOf(route),
    description: description.join(' ').replace(/ Shared readers [^.]*\./g, ''),
  }
}
