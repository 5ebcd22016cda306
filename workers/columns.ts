import { loadConfig } from '../src/platform/config/config.ts'
import { connectDb } from '../src/platform/db/connect.ts'
import { addressesOf } from '../src/platform/embedded/addresses.ts'
import { columnsSocketPathFor } from '../src/platform/embedded/paths.ts'
import { createLog } from '../src/platform/runtime/log.ts'
import { createKeptCounter } from '../src/stats/columns-process/kept-counter.ts'
import { serveCounter } from '../src/stats/columns-process/serve.ts'
import { endOnUnhandled, onStop, reportReady } from './lifecycle.ts'

/** Entry of the columns process: keeps sessions with their hits as columns, and counts over them for the HTTP workers of this host. */
const config = loadConfig()
const log = createLog({ level: config.logLevel, role: 'columns' })
endOnUnhandled(log)
const db = connectDb(addressesOf(config).databaseUrl, { max: 3, name: 'analytics-columns', pool: 'rollup' })
const counter = createKeptCounter({ db, maxBytes: config.columnBytes, log, now: Date.now })
const server = await serveCounter(columnsSocketPathFor(config), counter, log)
onStop(log, async () => {
  server.close()
  await db.end({ timeout: 2 })
})
reportReady()
