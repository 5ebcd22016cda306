import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endWithWorker, noLongerWithWorker } from './end-with-worker.ts'
import { newFolder } from './folders.ts'
import { needed } from './needs.ts'
import type { PatroniCluster } from './patroni.ts'
import { eventually, freePort } from './service.ts'

export interface Haproxy {
  /** Names one server. */
  url: string
  close(): Promise<void>
}

/** A HAProxy whose only address leads to the member of the cluster that takes writes, as docs/scaling.md shows it. */
export async function haproxy({ members }: PatroniCluster): Promise<Haproxy> {
  const { folder, remove } = newFolder('haproxy')
  const [port, statePort] = [await freePort(), await freePort()]
  const servers = members.map(
    ({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} check port ${restPort}`,
  )
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    'listen analytics',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /primary',
    '  http-check expect status 200',
    '  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    'frontend state',
    '  mode http',
    `  bind 127.0.0.1:${statePort}`,
    '  http-request return status 200 if { nbsrv(analytics) gt 0 }',
    '  http-request deny deny_status 503',
  ]
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn(needed('haproxy'), ['-db', '-f', file], { cwd: folder, stdio: 'ignore' })
  child.unref()
  endWithWorker([child.pid!])
  await eventually(() => isUp(`http://127.0.0.1:${statePort}`))
  return {
    url: `postgres://postgres@127.0.0.1:${port}/analytics`,
    async close() {
      noLongerWithWorker(child.pid!)
      child.kill('SIGKILL')
      remove()
    },
  }
}

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
