import type { JsonObject } from '../../read/json-lines.ts'
import type { Converter } from '../converter.ts'
import { Identified } from '../fields/identified.ts'
import { arrayIn, objectIn, readObjects } from '../fields/objects.ts'
import { rowOutcome } from '../fields/row-outcome.ts'
import { asSentence, Texts } from '../fields/texts.ts'
import type { Context } from './context.ts'
import { ViewedTimes } from './engagement.ts'
import { convertEvent } from './events.ts'

const FILE = 'the events of PostHog as JSON lines (a batch export, or the answers of its API for events)'

/**
 * PostHog's events.
 * @see https://posthog.com/docs/cdp/batch-exports
 */
export const posthog: Converter = {
  title: 'PostHog',
  file: asSentence(FILE),
  notes: [
    'A visitor is a device ($device_id) where the event has one, else the distinct_id. Persons that PostHog merged later stay apart.',
    'Recordings, heat maps, feature flags, surveys, groups, rage clicks and other events of PostHog itself are left out, and properties whose name begins with $ are.',
    'Of autocapture, links to other hosts, downloads, buttons, submitted forms and copied text are carried over; other clicks and changes of fields are not.',
    'Engaged time is the time from a page view to the next or to leaving the page, which includes pauses. Of a page that was open for more than 30 minutes it joins no sessions.',
    'Exceptions become errors with their first stack trace, without source maps.',
    'Screens of apps are left out.',
  ],
  async *convert(file, options) {
    const context: Context = {
      options,
      texts: new Texts(),
      identified: new Identified(),
      views: new ViewedTimes(),
    }
    for await (const { line, value, left } of readObjects(file, isOfFormat, FILE)) {
      if (!value) yield { line, left }
      else {
        for (const event of eventsIn(value)) {
          yield* rowOutcome(line, context.texts, convertEvent(event, context))
        }
      }
    }
  },
}

const isEvent = (value: JsonObject) => typeof value.event === 'string' && 'distinct_id' in value
const isOfFormat = (value: JsonObject) => isEvent(value) || Array.isArray(value.results)

/** An answer of the API holds a page of events. */
const eventsIn = (value: JsonObject): JsonObject[] =>
  Array.isArray(value.results) ? arrayIn(value.results).map(objectIn) : [value]
