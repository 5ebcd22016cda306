// PM2: `pm2 start ecosystem.config.js`; see docs/operations.md. Settings come from the environment it is started in.
//
// The embedded services, where no URL is configured, are processes of their own here, so that a restart of the API
// leaves them and what waits in them alone. The others then find them by URL, like servers of your own.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = import.meta.dirname

const { DATABASE_URL, REDIS_URL } = process.env

/** What `dist/scripts/embedded-addresses.js` says: the settings, checked, where the embedded services will be, and options of Node.js. */
const { status, stdout } = spawnSync(
  process.execPath,
  [join(root, 'dist/scripts/embedded-addresses.js')],
  // Its sentences about wrong settings go to the terminal; an exception would bury them under a stack.
  { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
)
if (status !== 0) process.exit(1)
const { settings, allocator, nodeArgs } = JSON.parse(stdout)

const common = {
  cwd: root,
  exec_mode: 'fork',
  kill_timeout: 10_000,
  // PM2 would send SIGINT, which processes of a terminal leave to their parent.
  shutdown_with_message: true,
  wait_ready: true,
  listen_timeout: 30_000,
  exp_backoff_restart_delay: 100,
  merge_logs: true,
}
const service = { ...common, env: settings }
const embedded = {
  ...common,
  args: ['--data-dir', settings.DATA_DIR, '--log-level', settings.LOG_LEVEL],
}

export const apps = [
  ...(DATABASE_URL
    ? []
    : [
        {
          ...embedded,
          name: 'embedded-database',
          script: 'dist/workers/embedded-database.js',
          env: allocator,
          node_args: nodeArgs.database.join(' '),
        },
      ]),
  ...(REDIS_URL
    ? []
    : [
        {
          ...embedded,
          name: 'embedded-redis',
          script: 'dist/workers/embedded-redis.js',
        },
      ]),
  {
    ...service,
    name: 'api',
    script: 'dist/workers/primary.js',
    env: { ...settings, INGEST_PROCESSES: '0' },
  },
  ...Array.from({ length: Number(settings.INGEST_PROCESSES) }, (_, index) => ({
    ...service,
    name: `ingest-${index + 1}`,
    script: 'dist/workers/ingest.js',
    node_args: nodeArgs.hits.join(' '),
  })),
]
