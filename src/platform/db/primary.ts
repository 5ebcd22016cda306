import { connect, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

/** How long a server that was found takes connections before all are asked again. */
const KNOWN_MS = 500
const ASK_SECONDS = 2
/** Longest time that a connection waits for a server that takes writes. */
const FIND_MS = 3_000
const AGAIN_MS = 100

/**
 * Returns what opens a socket to the one server of several that takes writes, for the option `socket` of the driver. It asks all of
 * them with each new connection, so connections follow a fail-over without a restart. The driver's own choice by
 * `target_session_attrs=read-write` takes standbys since PostgreSQL 14, and tries without a pause.
 * @param urls one for each server, with the same login and database
 */
export function socketToPrimary(urls: string[]): () => Promise<Socket> {
  let known: { url: Promise<string | undefined>; at: number } | undefined
  return async () => {
    if (!known || performance.now() - known.at > KNOWN_MS) {
      known = { url: findPrimary(urls), at: performance.now() }
      void known.url.then(url => {
        if (known && url === undefined) known = undefined
      })
    }
    const url = await known.url
    return url === undefined ? brokenSocket() : connected(url)
  }
}

/** @returns undefined when no server takes writes within three seconds */
async function findPrimary(urls: string[]): Promise<string | undefined> {
  const giveUpAt = performance.now() + FIND_MS
  for (;;) {
    const found = await Promise.any(
      urls.map(async url => {
        if (!(await takesWrites(url))) throw new Error('a standby')
        return url
      }),
    ).catch(() => undefined)
    if (found !== undefined || performance.now() > giveUpAt) return found
    await sleep(AGAIN_MS)
  }
}

async function takesWrites(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: ASK_SECONDS, fetch_types: false, onnotice: () => {} })
  try {
    const [state] = await sql.unsafe(
      "select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes",
    )
    return state!.takes
  } finally {
    void sql.end({ timeout: 0 })
  }
}

function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) })
  return new Promise(resolve => {
    const done = () => {
      socket.off('connect', done).off('error', failed)
      resolve(socket)
    }
    const failed = () => {
      socket.off('connect', done)
      resolve(brokenSocket())
    }
    socket.once('connect', done).once('error', failed)
  })
}

/**
 * A socket that fails when the driver writes to it: the driver would wait for ever for one that cannot be made. If it failed earlier,
 * the driver would keep what it was about to write, and send nothing on its next connections until these have timed out for a minute.
 */
function brokenSocket(): Socket {
  const socket = new Socket()
  socket._write = (_bytes, _encoding, done) =>
    done(
      Object.assign(new Error('No server of DATABASE_URL takes writes now'), {
        code: 'ECONNREFUSED',
      }),
    )
  return socket
}
