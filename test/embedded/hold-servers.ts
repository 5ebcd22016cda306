import { loadConfig } from '../../src/config.ts'
import { withServices } from '../../src/embedded/attach.ts'
import { createLog } from '../../src/infra/log.ts'

// An entry for `spawnEntry`: uses the servers of DATA_DIR until it is ended.
const log = createLog({ level: 'info', role: 'holder' })
await withServices(loadConfig(), log, () => {
  process.send?.('ready')
  return new Promise(() => {})
})
