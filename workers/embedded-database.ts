import { parseArgs } from 'node:util'
import { startDatabase } from '../src/platform/embedded/database.ts'
import { STATEMENT_LIMITS } from '../src/platform/embedded/watchdog.ts'
import { createLog } from '../src/platform/runtime/log.ts'
import { endOnUnhandled, reportReady } from './lifecycle.ts'

/**
 * Entry of the embedded TimescaleDB as a process of its own: `--data-dir DIR [--log-level LEVEL] [--statement-ms MS]
 * [--grace-ms MS]`. The last two are the fields of `StatementLimits`.
 */
const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    'log-level': { type: 'string' },
    'statement-ms': { type: 'string', default: String(STATEMENT_LIMITS.statementMs) },
    'grace-ms': { type: 'string', default: String(STATEMENT_LIMITS.graceMs) },
  },
})
const log = createLog({ level: values['log-level'] ?? 'info', role: 'database' })
endOnUnhandled(log)

// A terminal sends SIGINT (Ctrl-C) and SIGHUP (closed) to every process. Ignore both: the parent stops the database after
// the clients of the database.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

try {
  const dataDir = values['data-dir']
  if (!dataDir) throw new Error('--data-dir is missing')
  const database = await startDatabase({
    dataDir,
    log,
    limits: { statementMs: Number(values['statement-ms']), graceMs: Number(values['grace-ms']) },
  })

  const stop = async () => {
    await database.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  // PM2 sends this message with `shutdown_with_message`; without that option it sends SIGINT, which is ignored here.
  process.on('message', message => message === 'shutdown' && stop())
  // The channel exists only when a parent opened it. Stop when that parent is gone: no other process would stop the database.
  if (process.channel) {
    process.on('disconnect', stop)
    reportReady()
  }
} catch (error) {
  log.fatal({ error }, (error as Error).message)
  process.exitCode = 1
  process.disconnect?.()
}
