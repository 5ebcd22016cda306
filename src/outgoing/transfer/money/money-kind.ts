import { findUnderivable } from '../../../money/import/derive-work.ts'
import { deriveFileFacts, storeFileFacts } from '../../../money/import/file-facts.ts'
import type { ReadFact } from '../../../money/import/store-facts.ts'
import type { FormatDescription, ImportKind, ImportServices, ImportTask } from '../imports/import-kind.ts'
import { refusal } from '../read/limits.ts'
import { filesIn } from '../read/packed-files.ts'
import { type MoneyFileResult, noResult, presentMoneyFile } from './money-result.ts'
import { checkFile, readRows } from './read-rows.ts'
import { factsOf } from './row-facts.ts'

/** Rows of one transaction: events of the site's payment processor wait for it. */
const BATCH = 500

const MONEY_FORMAT = 'payments'

const DESCRIPTION: FormatDescription = {
  title: 'Payments and subscriptions',
  file: 'CSV or JSON lines as docs/import-money.md describes; also packed with gzip or in a ZIP.',
  notes: [
    'A payment with the id of one that is recorded already is that payment.',
    "Amounts in other currencies than the site's are kept, and left out of sums.",
  ],
  whyNoUndo: 'Payments of a file may be those of the payment processor, too: payments:purge deletes payments',
}

/** Files of payments and subscriptions from any payment processor. */
export const moneyKind: ImportKind = {
  formats: { [MONEY_FORMAT]: DESCRIPTION },
  run: importMoneyFile,
  present: result => presentMoneyFile(result as MoneyFileResult),
  undo: () => Promise.reject(refusal(DESCRIPTION.whyNoUndo!)),
}

/** Imports a file of payments and subscriptions, or counts what it has. May run again with the same file. */
export async function importMoneyFile(
  { db, refresher, log, now }: Pick<ImportServices, 'db' | 'refresher' | 'log' | 'now'>,
  task: Pick<ImportTask, 'site' | 'file' | 'timezone' | 'isDryRun' | 'turn' | 'onProgress'>,
): Promise<MoneyFileResult> {
  const { site, isDryRun, turn, onProgress } = task
  const { siteNo } = site
  const result = noResult(isDryRun)
  const read = async () => {
    let facts: ReadFact[] = []
    const flush = async () => {
      if (!isDryRun && facts.length > 0) await storeFileFacts(db, siteNo, facts)
      facts = []
    }
    for (const file of await filesIn(task.file)) {
      for await (const item of readRows(file, task.timezone, now())) {
        await turn.pass()
        if (item.left !== undefined) result.reject({ file: file.name, row: item.number, error: item.left })
        else {
          result.count(item.row)
          facts.push(...factsOf(item.row))
        }
        if (facts.length < BATCH) continue
        await flush()
        onProgress?.({ part: Math.min(0.5, item.part / 2), note: `${item.number} rows` })
      }
    }
    await flush()
    if (result.isEmpty()) throw refusal(`${task.file.name} has no row: bring ${DESCRIPTION.file}`)
  }
  if (isDryRun) {
    await read()
    return result.shown()
  }
  // Before the first row is stored.
  for (const file of await filesIn(task.file)) await checkFile(file)
  await refresher.during(async () => {
    await read()
    let most = 1
    await deriveFileFacts({ db, log }, siteNo, {
      pass: turn.pass,
      onLeft: left => {
        most = Math.max(most, left)
        onProgress?.({ part: 1 - left / most / 2, note: `${left} left` })
      },
    })
  })
  return result.shown(await findUnderivable(db, siteNo))
}
