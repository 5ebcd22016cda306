import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dialect } from '../../../../src/platform/db/dialects/chosen-dialect.ts'
import { checkDatabase, migrate } from '../../../../src/platform/db/migrate.ts'
import { startDatabase } from '../../../../src/platform/embedded/database.ts'
import { readDatabaseFiles } from '../../../../src/platform/embedded/memory-files.ts'
import { AGGREGATE_NAMES, refreshAggregate } from '../../../../src/storage/rollups/aggregates.ts'
import { testDatabase } from '../../../support/database.ts'
import { silentLog } from '../../../support/log.ts'
import { rollUpAll } from '../../../support/roll-up.ts'
import { IS_QUICK } from '../../../support/runs.ts'
import { readAnswers } from './fixture.ts'
import { restoredDump } from './restored.ts'
import { connect, expectSameAnswers, oldDataFolder, schemaOf, VERSION_0_2_0 } from './upgraded.ts'

const isCitus = dialect().name === 'citus'
/** The quick check asks one read in so many. */
const ONE_OF = 20

test.skipIf(isCitus)(
  'upgrade: a data folder of 0.2.0 answers every read as before',
  { timeout: 1_200_000 },
  async () => {
    const files = readDatabaseFiles(join(oldDataFolder(), 'database'))
    const database = await startDatabase({ files, log: silentLog })
    onTestFinished(() => database.close())
    const db = connect(database.url)
    await checkDatabase(db)
    expect((await migrate(db))[0]).toBe('0011_viewers.sql')
    const answers = readAnswers(VERSION_0_2_0, { isFolder: true })
    const asked = answers.filter((_, index) => !IS_QUICK || index % ONE_OF === 0)
    expect(asked.length).toBeGreaterThan(50)
    await expectSameAnswers({ db, url: database.url }, asked)
  },
)

test.skipIf(isCitus)(
  'upgrade: a dump of 0.2.0 answers every read as before, at once and when all was rolled up again',
  {
    tags: ['full', 'native'],
    timeout: 1_200_000,
  },
  async () => {
    const url = await restoredDump()
    const db = connect(url)
    await checkDatabase(db)
    await migrate(db)
    const fresh = await testDatabase()
    onTestFinished(() => fresh.close())
    expect(await schemaOf(db)).toEqual(await schemaOf(fresh.db))
    const answers = readAnswers(VERSION_0_2_0, { isFolder: false })
    await expectSameAnswers({ db, url }, answers)
    const madeAt = new Date(answers.at(-1)!.at)
    for (const aggregate of AGGREGATE_NAMES) while (await refreshAggregate(db, aggregate, madeAt)) {}
    await rollUpAll(db, madeAt)
    await expectSameAnswers(
      { db, url },
      answers.filter((_, index) => index % 3 === 0),
    )
  },
)
