import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { callTRPCProcedure } from '@trpc/server'
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../../errors.ts'
import type { Services } from '../../services.ts'
import type { OpenedExport } from '../../transfer/export/open-export.ts'
import type { Context } from '../../trpc/context.ts'
import { fromProcedure } from '../../trpc/errors.ts'
import { siteExportsRouter } from '../../trpc/site-exports.ts'
import { contextOf } from './context.ts'
import { headerList, readQuery } from './query.ts'

/** Downloads of a process at the same time: each takes as much of the database as a busy reader. */
const MOST_AT_ONCE = 4
/** Access is checked again after this time. */
const CHECK_MS = 10_000

let running = 0

/**
 * Returns the handler of an endpoint whose answer is a file of any size. The file is made as the client takes it: a slow client holds no
 * connection of the database and no more memory than a few pieces, and one that takes nothing is disconnected by the server.
 * What fails before the first byte is answered as usual; later failures cut the connection, so that no part looks like the whole.
 * @param procedure of `siteExportsRouter`
 * @param parameters names of the query parameters
 */
export function siteExport(
  services: Services,
  procedure: 'hits' | 'rows',
  parameters: readonly string[],
): RequestHandler {
  const known = new Set(parameters)
  return async (req, res) => {
    const { input, ignored } = readQuery(req.url, known)
    if (ignored.length > 0) res.setHeader('X-Ignored-Parameters', headerList(ignored))
    const ctx = contextOf(services, req, res)
    const call = (path: string, context: Context): Promise<unknown> =>
      callTRPCProcedure({
        router: siteExportsRouter,
        path,
        type: 'query',
        ctx: context,
        getRawInput: async () => ({ ...input, ...req.params }),
        signal: undefined,
        batchIndex: 0,
      }).catch((error: unknown) => {
        throw fromProcedure(error)
      })
    // First, so that a refused download is not in the audit log.
    await call('access', ctx)
    if (running >= MOST_AT_ONCE) {
      throw new AppError('unavailable', 'Other exports are running; try again when one is finished', {
        retryAfter: 30,
      })
    }
    running += 1
    try {
      const opened = (await call(procedure, { ...ctx, isCharged: true })) as OpenedExport
      const later: Context = { ...ctx, isCharged: true, setSessionCookie() {}, showDetailsFrom() {} }
      await send(req, res, opened, async () => void (await call('access', later)))
    } finally {
      running -= 1
    }
  }
}

async function send(req: Request, res: Response, file: OpenedExport, checkAccess: () => Promise<void>) {
  let failure: unknown
  async function* pieces() {
    let checkedAt = performance.now()
    try {
      for await (const piece of file.read()) {
        if (performance.now() - checkedAt > CHECK_MS) {
          await checkAccess()
          checkedAt = performance.now()
        }
        yield piece
      }
    } catch (error) {
      if (res.destroyed) return
      failure = error
      // A plain end of the connection would complete a file for HTTP/1.0.
      req.socket.resetAndDestroy()
      throw error
    }
  }
  res.status(200).setHeader('Content-Type', file.contentType)
  res.setHeader('Content-Disposition', `attachment; filename="${file.fileName.replace(/[^\w.-]/g, '_')}"`)
  if (req.method === 'HEAD') {
    res.end()
    return
  }
  try {
    await pipeline(Readable.from(pieces(), { objectMode: false, highWaterMark: 1 }), res)
  } catch {
    // Without a failure, the client has gone.
    if (failure) throw failure
  }
}
