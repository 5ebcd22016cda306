import { parseArgs } from 'node:util'
import { startRedis } from '../src/platform/embedded/redis.ts'
import { createLog } from '../src/platform/runtime/log.ts'
import { endOnUnhandled, reportReady } from './lifecycle.ts'

/** Entry of the embedded Redis as a process of its own, for example under PM2: `--data-dir DIR [--log-level LEVEL]`. */
const { values } = parseArgs({
  options: { 'data-dir': { type: 'string' }, 'log-level': { type: 'string' } },
})
const log = createLog({ level: values['log-level'] ?? 'info', role: 'redis' })
endOnUnhandled(log)

try {
  const dataDir = values['data-dir']
  if (!dataDir) throw new Error('--data-dir is missing')
  const redis = await startRedis({ dataDir, log })

  // Keeps this process alive: an adopted redis-server is not its child and does not keep the event loop busy.
  setInterval(() => {}, 2 ** 30)
  redis.onExit(() => {
    log.error({ redisPid: redis.pid }, 'redis-server has ended')
    process.exit(1)
  })
  const stop = async () => {
    await redis.stop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, stop)
  process.on('message', message => message === 'shutdown' && stop())
  reportReady()
} catch (error) {
  log.fatal({ error }, (error as Error).message)
  process.exitCode = 1
  process.disconnect?.()
}
