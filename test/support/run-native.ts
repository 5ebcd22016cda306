import { spawnSync } from 'node:child_process'
import { NEEDS } from './needs.ts'
import { postgresPair } from './postgres-pair.ts'
import { testFiles } from './test-files.ts'

// Runs the cases with the tag `native` on a TimescaleDB server that it starts, if the machine has one. The report of the run before has
// named them where it has not.
if (NEEDS.timescaledb.path !== undefined) {
  const pair = await postgresPair()
  const files = testFiles().filter(({ hasNativeCases }) => hasNativeCases)
  const { status } = spawnSync(
    'npx',
    ['vitest', 'run', '--tags-filter', 'native', ...files.map(({ path }) => path)],
    { stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: pair.primaryUrl } },
  )
  await pair.close()
  process.exitCode = status ?? 1
}
