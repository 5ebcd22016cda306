import { loadConfig } from '../../../src/platform/config/config.ts'
import { withServices } from '../../../src/platform/embedded/attach.ts'
import { createLog } from '../../../src/platform/runtime/log.ts'

// Entry for `spawnEntry`: uses the servers of DATA_DIR until the process ends.
const log = createLog({ level: 'info', role: 'holder' })
await withServices(loadConfig(), log, () => {
  process.send?.('ready')
  return new Promise(() => {})
})
