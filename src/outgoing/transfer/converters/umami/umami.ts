import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CsvRow, readWholeRows } from '../../read/csv.ts'
import { filesIn } from '../../read/packed-files.ts'
import type { Converted, Converter, ConvertOptions } from '../converter.ts'
import { createWebsiteFilter } from '../fields/websites.ts'
import { type Data, hitOf, identifyHit } from './hits.ts'
import { createJoin, type Join, type Joined } from './join.ts'
import { eventOf, type SessionFields, sessionFieldsOf, type UmamiEvent } from './rows.ts'
import { dataOf, fieldOf, findTables, type Tables } from './tables.ts'

/** Rows by event, then by session. In this order: what is told of an event or session comes before its events. */
const SESSION = 0
const DATA = 1
const EVENT = 2

type Datum = { key: string; value: string }
interface FullEvent {
  event: UmamiEvent
  data: Data
}

/**
 * Umami 1 to 3: the ZIP that the cloud sends, or tables of a database as CSV. Events are brought together with their data by their
 * ids, then with their session: tables come in any order.
 */
export const umami: Converter = {
  title: 'Umami',
  file: 'The ZIP that Umami Cloud sends (Settings → Data → Export), or a ZIP of the tables website_event, session, event_data and session_data of your database as CSV with the names of the columns; website_event.csv alone is enough.',
  notes: [
    'Umami makes visitors anew each month: a visitor who came in two months counts twice, as in Umami.',
    'Sessions follow the rules of this service, so their number can differ from the visits of Umami.',
    'Umami does not record how long pages were read: there is no engagement.',
    'Tags of events, and clicks on links and pixels, are not carried over.',
    'Data of sessions becomes data of users; without a user id it is left out.',
    'Names of properties are cut at 64 characters; an event keeps 50 properties.',
  ],
  async *convert(file, options) {
    const tables = await findTables(await filesIn(file))
    const sort = options.sort ?? { folder: join(tmpdir(), 'analytics-import') }
    const byEvent = createJoin<UmamiEvent | Datum>(sort)
    const bySession = createJoin<FullEvent | SessionFields | Datum>(sort)
    try {
      yield* readEvents(tables, options, byEvent)
      yield* completeEvents(byEvent, bySession)
      yield* readSessions(tables, options, bySession)
      for await (const group of bySession.groups()) yield* hitsOfSession(group, options.domain)
    } finally {
      await byEvent.close()
      await bySession.close()
    }
  },
}

async function* rowsOf(files: Tables[keyof Tables]) {
  for (const file of files) yield* readWholeRows(file.read())
}

async function* readEvents(
  tables: Tables,
  options: ConvertOptions,
  byEvent: Join<UmamiEvent | Datum>,
): AsyncGenerator<Converted> {
  const websites = createWebsiteFilter(options.website)
  let unnamed = 0
  for await (const { line, row, left } of rowsOf(tables.events)) {
    if (left !== undefined) {
      yield { left, line }
      continue
    }
    if (!websites.isWanted(fieldOf(row, 'website_id'))) {
      yield { left: 'of another website', line }
      continue
    }
    const event = eventOf(row, options.timezone)
    if ('left' in event) {
      yield { ...event, line }
      continue
    }
    unnamed += 1
    await byEvent.add(event.id ?? `none ${unnamed}`, EVENT, event)
  }
  websites.check()
  for await (const { row } of rowsOf(tables['event data'])) {
    if (row && isOther(row, options)) continue
    const id = row && fieldOf(row, 'website_event_id', 'event_id')
    const data = row && dataOf(row)
    if (!id || !data) yield { part: 'property without a value' }
    else await byEvent.add(id, DATA, data)
  }
}

/** Rows that belong to events and sessions of another website go with those, and are not counted. */
function isOther(row: CsvRow, { website }: ConvertOptions): boolean {
  const of = fieldOf(row, 'website_id')
  return website !== undefined && of !== undefined && of.toLowerCase() !== website.toLowerCase()
}

/** Gives events their data, and leaves events out that are there twice. */
async function* completeEvents(
  byEvent: Join<UmamiEvent | Datum>,
  bySession: Join<FullEvent | SessionFields | Datum>,
): AsyncGenerator<Converted> {
  for await (const group of byEvent.groups()) {
    const data: Data = {}
    let isFound = false
    for (const { kind, value } of group) {
      if (kind === DATA) {
        const { key, value: text } = value as Datum
        data[key] = text
      } else if (isFound) {
        yield { left: 'the same event again' }
      } else {
        isFound = true
        const event = value as UmamiEvent
        await bySession.add(event.session, EVENT, { event, data }, String(event.at).padStart(16, '0'))
      }
    }
    if (!isFound) yield { part: 'property of an event that is not in the file' }
  }
}

async function* readSessions(
  tables: Tables,
  options: ConvertOptions,
  bySession: Join<FullEvent | SessionFields | Datum>,
): AsyncGenerator<Converted> {
  for await (const { row } of rowsOf(tables.sessions)) {
    const id = row && fieldOf(row, 'session_id')
    if (id && !isOther(row, options)) await bySession.add(id, SESSION, sessionFieldsOf(row))
  }
  for await (const { row } of rowsOf(tables['session data'])) {
    const id = row && fieldOf(row, 'session_id')
    const data = row && dataOf(row)
    if (row && isOther(row, options)) continue
    if (!id || !data) yield { part: 'property without a value' }
    else await bySession.add(id, DATA, data)
  }
}

/** @param group the session, its data and its events in time order */
function* hitsOfSession(
  group: Joined<FullEvent | SessionFields | Datum>[],
  domain: string,
): Generator<Converted> {
  let session: SessionFields = {}
  const custom: Data = {}
  let identified: string | undefined
  let isUserKnown = false
  for (const { kind, value } of group) {
    if (kind === SESSION) {
      session = value as SessionFields
    } else if (kind === DATA) {
      const { key, value: text } = value as Datum
      custom[key] = text
    } else {
      const { event, data } = value as FullEvent
      const converted = hitOf(event, session, data, domain)
      yield 'hit' in converted ? { ...converted, isRow: true } : converted
      const user = event.of.user ?? session.user
      const visit = `${event.visit} ${user}`
      if (!('hit' in converted) || user === undefined || visit === identified) continue
      identified = visit
      isUserKnown = true
      yield { hit: identifyHit(event, user, custom, domain) }
    }
  }
  if (!isUserKnown) for (const _ of Object.keys(custom)) yield { part: 'data of a session without a user' }
}
