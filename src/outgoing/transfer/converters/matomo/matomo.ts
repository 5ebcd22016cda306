import type { JsonObject } from '../../read/json-lines.ts'
import type { Converted, Converter, ConvertOptions } from '../converter.ts'
import { arrayIn, objectIn, readObjects } from '../fields/objects.ts'
import { rowOutcome } from '../fields/row-outcome.ts'
import { asSentence, plainText, Texts } from '../fields/texts.ts'
import { createWebsiteFilter } from '../fields/websites.ts'
import { convertAction } from './actions.ts'
import { actionTimes } from './times.ts'
import { readVisit } from './visit.ts'

const FILE =
  'answers of Live.getLastVisitsDetails of Matomo in the format JSON: one page, several one after the other, or one visit a line'

/**
 * Matomo's log of visits.
 * @see https://developer.matomo.org/api-reference/reporting-api#Live
 */
export const matomo: Converter = {
  title: 'Matomo',
  file: asSentence(FILE),
  notes: [
    'A visit of Matomo that began because of midnight or of a new campaign is joined with the one before it: a session ends after 30 minutes without a hit.',
    'An event has the name of its action; its category, name and value are the properties category, name and value.',
    'Site searches become the event search, orders the event ecommerce_order with their revenue. Abandoned carts, goals that were reached, and contents are left out.',
    'Matomo removes tags of campaigns from addresses: the name of a campaign becomes utm_campaign and its keyword utm_term. utm_source and utm_medium are there only with the plugin Marketing Campaigns Reporting.',
    'The time spent on a page is the time up to the next action and counts as engaged time; scroll depth is not known. Of the last page it is known only with the heart beat timer.',
    'Regions are ISO codes from Matomo 4 on; those of older visits may be wrong.',
    'Visits with very many actions are cut off by Matomo (visitor_log_maximum_actions_per_visit).',
  ],
  async *convert(file, options) {
    const texts = new Texts()
    const sites = createWebsiteFilter(options.website, 'visits')
    for await (const { line, value, left } of readObjects(file, isVisit, FILE)) {
      if (!value) yield { line, left }
      else if (value.result === 'error') yield { line, left: 'error of Matomo in place of visits' }
      else if (!isVisit(value)) yield { line, left: 'not a visit' }
      else if (!sites.isWanted(plainText(value.idSite))) yield { line, left: 'visit of another website' }
      else for (const row of convertVisit(value, options, texts)) yield* rowOutcome(line, texts, row)
    }
    sites.check()
  },
}

const isVisit = (value: JsonObject) => 'idVisit' in value && 'actionDetails' in value

/** Yields what became of each action: an action is a row. */
function* convertVisit(visit: JsonObject, options: ConvertOptions, texts: Texts): Generator<Converted[]> {
  const actions = arrayIn(visit.actionDetails).map(objectIn)
  const times = actionTimes(visit, actions, options.timezone)
  const read = readVisit(visit, options, texts)
  if (!read) return yield [{ left: 'no visitor' }]
  // Only the action that opened the visit has its origin.
  let isFirst = true
  for (const [index, action] of actions.entries()) {
    const converted = [...convertAction(action, times[index], { visit: read, isFirst, texts })]
    const first = converted.find(item => 'hit' in item)
    if (first && isFirst) {
      isFirst = false
      if (read.identity) converted.splice(converted.indexOf(first) + 1, 0, read.identity(first.hit))
    }
    yield converted
  }
  if (actions.length === 0) yield [{ left: 'visit without actions' }]
}
