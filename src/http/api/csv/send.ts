import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { CsvDelimiter } from '../../../platform/schema/csv-delimiter.ts'
import { BLOCK_ROWS, Download } from '../../../platform/schema/download.ts'
import type { Context } from '../../../trpc/context.ts'
import type { Route } from '../routes.ts'
import { type Column, columnsOf, headerOf, linesOf, rowSchemaOf } from './columns.ts'
import { keepInFile, wholeLists } from './whole-list.ts'

/** How a list becomes a file. */
export interface CsvList {
  columns: Column[]
  rows: z.core.$ZodType
}

interface CsvRequest {
  req: Request
  res: Response
  ctx: Context
  /** The whole list, not one page of it. */
  isWhole: boolean
  delimiter?: CsvDelimiter
}

/** Returns how the answer of a route becomes a file; undefined when it is no list. */
export function csvListOf({ method, output }: Route): CsvList | undefined {
  const row = method === 'get' ? rowSchemaOf(output) : undefined
  return row && { columns: columnsOf(row), rows: z.array(row as z.ZodType) }
}

/** Returns whether the caller prefers a file to JSON. A type that is neither does not matter: JSON is the answer then. */
export const wantsCsv = (req: Request): boolean =>
  req.accepts(['application/json', 'text/csv']) === 'text/csv'

/**
 * Answers with a file, block by block: the next block is read when the client has taken the ones before. What fails before the
 * first byte is answered as usual; later failures cut the connection, so that no part of a file looks complete.
 * @param read calls the procedure
 */
export async function sendCsv(
  { req, res, ctx, isWhole, delimiter }: CsvRequest,
  { columns, rows: schema }: CsvList,
  read: (ctx: Context) => Promise<unknown>,
): Promise<void> {
  const download = new Download({ startedAt: ctx.now(), isWhole })
  const toLines = (rows: unknown[]) =>
    linesOf(columns, z.parse(schema as z.ZodType, rows) as unknown[], delimiter)
  const first = await wholeLists(ctx.signal, async () => {
    const rows = await download.next(() => read(ctx))
    return rows.length <= BLOCK_ROWS ? [toLines(rows)] : keepInFile(rows, toLines)
  })
  res.status(200).setHeader('Content-Type', 'text/csv; charset=utf-8')
  res.setHeader('Content-Disposition', `attachment; filename="${fileNameOf(req)}"`)
  let failure: unknown
  async function* blocks() {
    try {
      yield headerOf(columns, delimiter)
      yield* first
      const later = laterContext(ctx)
      while (!download.isComplete) {
        const lines = toLines(await download.next(() => read(later)))
        if (lines !== '') yield lines
      }
    } catch (error) {
      if (res.destroyed) return
      failure = error
      // A plain end of the connection would complete a file for HTTP/1.0.
      req.socket.resetAndDestroy()
      throw error
    }
  }
  try {
    if (req.method === 'HEAD') res.end()
    else await pipeline(Readable.from(blocks(), { objectMode: false, highWaterMark: 1 }), res)
  } catch {
    // Without a failure, the client has gone.
    if (failure) throw failure
  } finally {
    if (first instanceof Readable) first.destroy()
  }
}

/** The same caller, checked again: access that ends in the meantime ends the download. What only headers can say is left out. */
const laterContext = (ctx: Context): Context => ({
  ...ctx,
  isCharged: true,
  setSessionCookie() {},
  showDetailsFrom() {},
})

/** `example.com-stats-breakdown.csv`: the path without ids that are not the site's. */
function fileNameOf({ route, params }: Request): string {
  const { path } = route as { path: string }
  const names = path
    .split('/')
    .filter(part => part !== '' && part !== 'api' && part !== 'sites' && !/^:(?!siteKey$)/.test(part))
    .map(part => (part === ':siteKey' ? String(params.siteKey) : part))
  return `${
    names
      .join('-')
      .replace(/[^\w.-]/g, '_')
      .slice(0, 100) || 'sites'
  }.csv`
}
