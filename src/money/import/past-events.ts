import { lockConnection, type OpenConnection } from '../processor/connection.ts'
import { readEvent } from '../processor/event.ts'
import { askDueLookups, type ReceiveOptions } from '../receive-event.ts'
import { inProcessorTransaction } from '../transactions.ts'
import { analyzeFacts, deriveNext, workLeft } from './derive-work.ts'
import { type ReadFact, storeFacts } from './store-facts.ts'

/** Events of one transaction. */
const BATCH = 200

/**
 * Applies many events of the processor that lie in the past. The numbers are those that `receiveEvent` would give for one after the other,
 * in a tenth of its time; nothing is announced. It may be stopped at any point and run again with the same events.
 * @param texts bodies that the processor signed
 * @param onProgress called after each transaction that derives numbers, with the part that is done, 0 to 1
 * @throws AppError `validation_failed` when an event cannot be read, `not_found` when the processor was disconnected meanwhile
 */
export async function importPastEvents(
  options: ReceiveOptions,
  connection: OpenConnection,
  texts: readonly string[],
  onProgress: (part: number) => void = () => {},
): Promise<void> {
  const { db, now } = options
  const { siteNo } = connection.site
  const facts = texts.flatMap((text): ReadFact[] => {
    const event = readEvent(text, now())
    return event ? [{ ...event.fact, eventType: event.type }] : []
  })
  for (let from = 0; from < facts.length; from += BATCH) {
    await inProcessorTransaction(db, siteNo, async tx => {
      await lockConnection(tx, connection)
      await storeFacts(tx, siteNo, facts.slice(from, from + BATCH))
    })
  }
  await analyzeFacts(db)
  const total = Math.max(1, await workLeft(db, siteNo))
  while (await deriveNext(options, { siteNo }, connection)) {
    onProgress(Math.max(0, 1 - (await workLeft(db, siteNo)) / total))
  }
  await askDueLookups(options, connection)
}
