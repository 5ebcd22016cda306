import { parseArgs } from 'node:util'
import { startRedis } from '../src/embedded/redis.ts'
import { createLog } from '../src/infra/log.ts'

/** The private Redis as a process that PM2 can run: `--data-dir DIR [--log-level LEVEL]`. */
const { values } = parseArgs({
  options: { 'data-dir': { type: 'string' }, 'log-level': { type: 'string' } },
})
const log = createLog({ level: values['log-level'] ?? 'info', role: 'redis' })

try {
  const dataDir = values['data-dir']
  if (!dataDir) throw new Error('--data-dir is missing')
  const redis = await startRedis({ dataDir, log })

  // Nothing else keeps this process in the foreground: the server is no child when it was adopted.
  setInterval(() => {}, 2 ** 30)
  redis.onExit(() => {
    log.error({ pid: redis.pid }, 'redis-server has ended')
    process.exit(1)
  })
  const stop = async () => {
    await redis.stop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, stop)
  process.on('message', message => message === 'shutdown' && stop())
  process.send?.('ready')
} catch (error) {
  log.fatal({ error }, (error as Error).message)
  process.exitCode = 1
  process.disconnect?.()
}
