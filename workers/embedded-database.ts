import { parseArgs } from 'node:util'
import { startDatabase } from '../src/embedded/database.ts'
import { STATEMENT_LIMITS } from '../src/embedded/watchdog.ts'
import { createLog } from '../src/infra/log.ts'

/**
 * The embedded TimescaleDB as a process: `--data-dir DIR [--socket PATH] [--log-level LEVEL] [--statement-ms MS]
 * [--grace-ms MS]`; the last two as `StatementLimits`.
 */
const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    socket: { type: 'string' },
    'log-level': { type: 'string' },
    'statement-ms': { type: 'string', default: String(STATEMENT_LIMITS.statementMs) },
    'grace-ms': { type: 'string', default: String(STATEMENT_LIMITS.graceMs) },
  },
})
const log = createLog({ level: values['log-level'] ?? 'info', role: 'database' })

// A terminal sends Ctrl-C, and that it is closed, to every process; the parent decides when the database goes, after its
// clients.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

try {
  const dataDir = values['data-dir']
  if (!dataDir) throw new Error('--data-dir is missing')
  const database = await startDatabase({
    dataDir,
    log,
    limits: { statementMs: Number(values['statement-ms']), graceMs: Number(values['grace-ms']) },
    ...(values.socket === undefined ? {} : { listen: { socketPath: values.socket } }),
  })

  const stop = async () => {
    await database.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  // PM2's way with `shutdown_with_message`; its own signal would be SIGINT.
  process.on('message', message => message === 'shutdown' && stop())
  // Set only when this process was started with an IPC channel: without its parent nobody would stop it.
  if (process.channel) {
    process.on('disconnect', stop)
    process.send?.('ready')
  }
} catch (error) {
  log.fatal({ error }, (error as Error).message)
  process.exitCode = 1
  process.disconnect?.()
}
