// PM2: `pm2 start ecosystem.config.cjs`; see docs/operations.md. Settings come from the environment it is started in.
//
// The embedded services, where no URL is configured, are processes of their own here, so that a restart of the API
// leaves them and what waits in them alone. The others then find them by URL, like servers of your own.
const { execFileSync } = require('node:child_process')
const { join } = require('node:path')

const { DATA_DIR = './.data', DATABASE_URL, REDIS_URL, INGEST_PROCESSES = '1' } = process.env

/** What `dist/scripts/embedded-addresses.js` says: where the embedded services will be, and their secret. */
const embedded = JSON.parse(
  execFileSync(process.execPath, [join(__dirname, 'dist/scripts/embedded-addresses.js')], {
    cwd: __dirname,
    encoding: 'utf8',
  }),
)

const common = {
  cwd: __dirname,
  exec_mode: 'fork',
  kill_timeout: 10_000,
  // PM2 would send SIGINT, which processes of a terminal leave to their parent.
  shutdown_with_message: true,
  wait_ready: true,
  listen_timeout: 30_000,
  exp_backoff_restart_delay: 100,
  merge_logs: true,
}
const service = { ...common, env: embedded }

module.exports = {
  apps: [
    ...(DATABASE_URL
      ? []
      : [
          {
            ...common,
            name: 'embedded-database',
            script: 'dist/workers/embedded-database.js',
            args: ['--data-dir', DATA_DIR],
          },
        ]),
    ...(REDIS_URL
      ? []
      : [
          {
            ...common,
            name: 'embedded-redis',
            script: 'dist/workers/embedded-redis.js',
            args: ['--data-dir', DATA_DIR],
          },
        ]),
    {
      ...service,
      name: 'api',
      script: 'dist/workers/primary.js',
      env: { ...embedded, INGEST_PROCESSES: '0' },
    },
    ...Array.from({ length: Number(INGEST_PROCESSES) }, (_, index) => ({
      ...service,
      name: `ingest-${index + 1}`,
      script: 'dist/workers/ingest.js',
    })),
  ],
}
