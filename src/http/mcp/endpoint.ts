import type { Request, RequestHandler } from 'express'
import { authenticate } from '../../access/teams/authentication.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { bucketsOf, chargeCall } from '../../trpc/charge.ts'
import type { Context } from '../../trpc/context.ts'
import { originOf } from '../api/browser.ts'
import { contextOf } from '../api/context.ts'
import { readJsonObject } from '../body.ts'
import { errorHeaders } from '../error-answer.ts'

/**
 * Serves the Model Context Protocol (Streamable HTTP, without sessions) at `/mcp`: assistants read the sites of a token. Nothing is kept
 * between two requests, so that any process of any host may answer.
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
export function mcpEndpoint(services: Services): RequestHandler {
  return async (req, res) => {
    refuseForeignPages(req, services)
    // A token alone: an assistant has no session of a browser.
    const ctx: Context = { ...contextOf(services, req, res), sessionCookie: undefined, team: undefined }
    const caller = await authenticate(ctx, true)
    const refusal = await overLimit(chargeCall(ctx, bucketsOf({ caller, person: null }, ctx.config.limits)))
    const message = await readJsonObject(req)
    if (refusal && message.method !== 'tools/call') throw refusal
    if (refusal) res.set(errorHeaders(refusal))
    // Loaded at the first message: it takes 100 ms, and most processes never get one.
    const { answerMessage } = await import('./answer-message.ts')
    await answerMessage(req, res, { ...ctx, caller, isCharged: true }, { message, refusal })
  }
}

/** Returns why a call may not be made now: as the answer of a tool, an assistant can read it. */
async function overLimit(charging: Promise<void>): Promise<AppError | undefined> {
  try {
    await charging
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return error
    throw error
  }
}

/** As the specification demands against DNS rebinding. */
function refuseForeignPages(req: Request, { config }: Services): void {
  if (originOf(req, config.baseUrl) === 'foreign') {
    throw new AppError('forbidden', 'Pages of other origins may not call this address')
  }
}
