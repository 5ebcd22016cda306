import type { JsonObject } from '../../read/json-lines.ts'
import type { Converter } from '../converter.ts'
import { Identified } from '../fields/identified.ts'
import { readObjects } from '../fields/objects.ts'
import { convertEach } from '../fields/row-outcome.ts'
import { asSentence, Texts } from '../fields/texts.ts'
import { convertEvent } from './events.ts'

const FILE = 'the tables events_YYYYMMDD of the BigQuery export of Google Analytics 4, as JSON lines'

/**
 * The BigQuery export of Google Analytics 4.
 * @see https://support.google.com/analytics/answer/7029846
 */
export const ga4: Converter = {
  title: 'Google Analytics 4 (BigQuery export)',
  file: asSentence(FILE),
  notes: [
    'Hits without user_pseudo_id, of visitors who did not consent, are left out: nothing tells which of them belong together.',
    'first_visit, session_start and similar events that Google derives are left out; sessions follow the rules of this service.',
    'Hits that a browser sent together have one time.',
    'Regions have only names in the export, which are not carried over; countries and cities are. Screens are not in the export.',
    'Google knows only that 90 percent of a page were scrolled. Engaged time has no scroll depth.',
    'Events of apps are left out. What Google models or estimates is not in the export.',
  ],
  async *convert(file, options) {
    const context = { options, texts: new Texts(), identified: new Identified() }
    const isEvent = (value: JsonObject) => 'event_name' in value && 'event_timestamp' in value
    const events = readObjects(file, isEvent, FILE)
    yield* convertEach(events, context.texts, ({ value }) => convertEvent(value, context))
  },
}
