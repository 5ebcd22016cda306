import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { AppError } from '../../platform/errors.ts'
import { type CsvDelimiter, CsvDelimiterField } from '../../platform/schema/csv-delimiter.ts'
import { fieldsOf } from '../../platform/schema/known-fields.ts'
import { validationError } from '../../platform/schema/validation.ts'
import type { Services } from '../../platform/services.ts'
import type { Context } from '../../trpc/context.ts'
import { readBody, readJsonObject } from '../body.ts'
import { callProcedure } from './call.ts'
import { contextOf, isExisting } from './context.ts'
import { csvListOf, sendCsv, wantsCsv } from './csv/send.ts'
import { headerList, pageUrlOf, readQuery } from './query.ts'
import type { Route } from './routes.ts'

/** Query parameter of every list that is sent as a file. */
const CSV_DELIMITER = 'csv_delimiter'

/** Returns the handler that serves a route with its procedure. */
export function restHandler(services: Services, route: Route): RequestHandler {
  const known = new Set(route.method === 'get' || route.method === 'delete' ? parametersOf(route) : [])
  const csv = csvListOf(route)
  if (csv) known.add(CSV_DELIMITER)
  return async (req, res) => {
    // Clients resolve `/api/sites/a.example/visitors/..` before they send it: it must not delete the site.
    if (route.method === 'delete' && req.path.endsWith('/')) throw new AppError('not_found', 'No such route')
    const query = readQuery(req.url, known)
    const { [CSV_DELIMITER]: delimiter, ...fields } = query.input
    if (query.ignored.length > 0) res.setHeader('X-Ignored-Parameters', headerList(query.ignored))
    let input: Promise<Record<string, unknown>> | undefined
    // The first check that needs the input reads it, so the body of a request without a token is not read.
    const call = (ctx: Context) =>
      callProcedure(route, ctx, () => {
        input ??= readInput(route, fields, req)
        return input
      })
    const ctx = contextOf(services, req, res, pageUrlOf(services.config.baseUrl, req.originalUrl))
    if (csv && wantsCsv(req)) {
      await sendCsv(
        { req, res, ctx, isWhole: !('page' in fields), delimiter: readDelimiter(delimiter) },
        csv,
        call,
      )
      return
    }
    send(res, route, await call(ctx))
  }
}

/** @throws AppError `validation_failed` for another value */
function readDelimiter(delimiter: unknown): CsvDelimiter {
  const parsed = z.object({ [CSV_DELIMITER]: CsvDelimiterField }).safeParse({ [CSV_DELIMITER]: delimiter })
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data[CSV_DELIMITER]
}

/** Fields of the path override those of the body, which override those of the query. */
async function readInput(route: Route, query: Record<string, unknown>, req: Request) {
  const body =
    route.method === 'get' ? {} : route.rawBody ? rawBody(route.rawBody, req) : await readJsonObject(req)
  return { ...query, ...body, ...req.params }
}

/**
 * Reads the body only when the procedure asks for it: that of a caller who may not send it is never read.
 * @throws AppError `payload_too_large`, `unsupported_media_type` by what the headers say
 */
function rawBody(bytes: number, req: Request) {
  if (req.headers['content-encoding'] !== undefined) {
    throw new AppError('unsupported_media_type', 'Send the bytes as they are, without a content encoding')
  }
  if (Number(req.headers['content-length']) > bytes) {
    throw new AppError('payload_too_large', `The body is larger than ${bytes / 1024} KiB`)
  }
  return { content: () => readBody(req, { plain: bytes, unpacked: bytes }) }
}

function send(res: Response, route: Route, answer: unknown): void {
  if (route.location) {
    const fields = answer as Record<string, string>
    res.setHeader(
      'Location',
      route.location.replace(/\{(\w+)\}/g, (_, name) => fields[name]!),
    )
  }
  res.status(isExisting(res) ? (route.existing ?? route.ok) : route.ok)
  if (route.ok === 204) res.end()
  else res.json(answer)
}

/** Returns the input fields that do not come from the path. */
function parametersOf({ path, inputs }: Route): string[] {
  return inputs.flatMap(fieldsOf).filter(name => !path.split('/').includes(`:${name}`))
}
