import { loadConfig } from '../../src/config.ts'
import { withServices } from '../../src/embedded/attach.ts'
import { createLog } from '../../src/runtime/log.ts'

// Entry for `spawnEntry`: uses the servers of DATA_DIR until the process ends.
const log = createLog({ level: 'info', role: 'holder' })
await withServices(loadConfig(), log, () => {
  process.send?.('ready')
  return new Promise(() => {})
})
