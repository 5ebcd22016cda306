import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { callTRPCProcedure } from '@trpc/server'
import type { Request, RequestHandler, Response } from 'express'
import type { OpenedExport } from '../../outgoing/transfer/export/open-export.ts'
import type { Services } from '../../platform/services.ts'
import type { Context } from '../../trpc/context.ts'
import { fromProcedure } from '../../trpc/procedure-errors.ts'
import { siteExportsRouter } from '../../trpc/site-exports.ts'
import { contextOf } from './context.ts'
import { type Exporter, whileExporting } from './export-places.ts'
import { headerList, readQuery } from './query.ts'
import { createPace } from './reader-pace.ts'

/** Access is checked again after this time. */
const CHECK_MS = 10_000

/**
 * Returns the handler of an endpoint whose answer is a file of any size. The file is made as the client takes it: a slow client holds no
 * connection of the database and no more memory than a few pieces. One that takes nothing is disconnected by the server, and one that is too
 * slow by its pace.
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
    const exporter = (await call('access', ctx)) as Exporter
    await whileExporting(services.redis, exporter, async () => {
      const opened = (await call(procedure, { ...ctx, isCharged: true })) as OpenedExport
      const later: Context = { ...ctx, isCharged: true, setSessionCookie() {}, showDetailsFrom() {} }
      await send(req, res, opened, async () => void (await call('access', later)))
    })
    // Last: a client that asks for its next file at once must not meet this one.
    res.end()
  }
}

async function send(req: Request, res: Response, file: OpenedExport, checkAccess: () => Promise<void>) {
  let failure: unknown
  const rest = file.read()[Symbol.asyncIterator]()
  // Before the headers, so that its failure is an answer.
  const first = req.method === 'HEAD' ? undefined : await rest.next()
  const pace = createPace()
  function* paced(piece: Buffer) {
    const since = performance.now()
    const limit = setTimeout(() => req.socket.resetAndDestroy(), pace.allowedFor(piece.length))
    try {
      yield piece
    } finally {
      clearTimeout(limit)
    }
    pace.took(piece.length, performance.now() - since)
  }
  async function* pieces() {
    let checkedAt = performance.now()
    try {
      if (first && !first.done) yield* paced(first.value)
      for await (const piece of { [Symbol.asyncIterator]: () => rest }) {
        if (performance.now() - checkedAt > CHECK_MS) {
          await checkAccess()
          checkedAt = performance.now()
        }
        yield* paced(piece)
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
  if (req.method === 'HEAD') return
  try {
    await pipeline(Readable.from(pieces(), { objectMode: false, highWaterMark: 1 }), res, { end: false })
  } catch {
    // Without a failure, the client has gone.
    if (failure) throw failure
  }
}
