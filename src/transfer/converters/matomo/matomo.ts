import type { JsonObject } from '../../read/json-lines.ts'
import type { Converted, Converter, ConvertOptions } from '../converter.ts'
import { arrayIn, objectIn, readObjects } from '../fields/objects.ts'
import { OnlyWebsite } from '../fields/only-website.ts'
import { asSentence, Texts } from '../fields/texts.ts'
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
    const sites = new OnlyWebsite('idSite', options.website)
    for await (const item of readObjects(file, isVisit, FILE)) {
      if (!item.value) yield item
      else if (item.value.result === 'error') yield { left: 'error of Matomo in place of visits' }
      else if (!isVisit(item.value)) yield { left: 'not a visit' }
      else if (sites.isOther(item.value.idSite)) yield { left: 'visit of another website' }
      else {
        yield* convertVisit(item.value, options, texts)
        yield* texts.taken()
      }
    }
  },
}

const isVisit = (value: JsonObject) => 'idVisit' in value && 'actionDetails' in value

function* convertVisit(visit: JsonObject, options: ConvertOptions, texts: Texts): Generator<Converted> {
  const actions = arrayIn(visit.actionDetails).map(objectIn)
  const times = actionTimes(visit, actions, options.timezone)
  const read = readVisit(visit, options, texts)
  if (!read) return yield { left: 'no visitor' }
  // Only the action that opened the visit has its origin.
  let isFirst = true
  for (const [index, action] of actions.entries()) {
    for (const converted of convertAction(action, times[index], { visit: read, isFirst, texts })) {
      yield converted
      if ('hit' in converted && isFirst) {
        isFirst = false
        if (read.identity) yield read.identity(converted.hit)
      }
    }
  }
  if (actions.length === 0) yield { left: 'visit without actions' }
}
