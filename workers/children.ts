import { type ChildProcess, fork } from 'node:child_process'
import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Child } from '../src/platform/runtime/children.ts'
import { closeUnconfirmedConnections } from './unconfirmed-connections.ts'

/**
 * Starts a process from a file of this folder.
 * @param options.nodeArgs command-line options of Node.js
 */
export function startProcess(
  file: string,
  environment: NodeJS.ProcessEnv,
  { args = [], nodeArgs = [] }: { args?: string[]; nodeArgs?: readonly string[] } = {},
): Child {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: environment,
    execArgv: [...process.execArgv, ...nodeArgs],
  })
  return watch(
    child,
    new Promise((resolve, reject) => {
      child.on('message', message => message === 'ready' && resolve())
      child.on('exit', code => reject(new Error(`${file} ended with ${code}`)))
    }),
  )
}

/**
 * Starts a cluster worker, which shares the listening port with the other workers.
 * @param prepared resolves when the worker may use servers and schema
 */
export function startClusterWorker(environment: NodeJS.ProcessEnv, prepared: Promise<void>): Child {
  const worker = cluster.fork(environment)
  closeUnconfirmedConnections(worker.process)
  // Only when it asks: `node:cluster` in the worker takes messages that come before this program listens.
  worker.on('message', message => {
    if (message === 'loaded') void prepared.then(() => worker.isConnected() && worker.send('prepared'))
  })
  return watch(
    worker.process,
    new Promise((resolve, reject) => {
      worker.on('listening', () => resolve())
      worker.on('exit', code => reject(new Error(`an HTTP worker ended with ${code}`)))
    }),
  )
}

function watch(child: ChildProcess, ready: Promise<void>): Child {
  return {
    pid: child.pid,
    ready,
    gone: new Promise(resolve => child.once('exit', () => resolve())),
    stop() {
      if (child.connected) child.send('shutdown', () => {})
      else child.kill('SIGTERM')
    },
    kill: () => child.kill('SIGKILL'),
  }
}
