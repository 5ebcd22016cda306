import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import type { Request, Response } from 'express'
import { findSite } from '../../access/sites/find-site.ts'
import type { Caller } from '../../access/teams/caller.ts'
import { VERSION } from '../../platform/config/config.ts'
import { type AppError, retryAfterOf } from '../../platform/errors.ts'
import { asAppError } from '../../platform/runtime/failures.ts'
import { RANGE_PRESETS } from '../../platform/time/presets.ts'
import type { Context } from '../../trpc/context.ts'
import { callProcedure } from '../api/call.ts'
import { logFailure } from '../error-answer.ts'
import type { Json } from '../openapi/schemas.ts'
import { aboutAnswer } from './about.ts'
import { FILTERS, inputOf } from './arguments.ts'
import { shorten } from './shorten.ts'
import { findTools, type Tool } from './tools.ts'

const INSTRUCTIONS = `Web analytics and revenue of the sites that the token may read. Call list_sites first: an id or domain of it is the siteKey of all other tools.
Ask for one period: range (${RANGE_PRESETS.join(', ')}), or from and to, the first and last day (dates of the site's time zone), both included. about in each answer says which days, zone and units it has and what is partial: a day, week or month that still runs or is cut says nothing about a trend.
Visitors of several days are counted once: do not add up the numbers of days. For money by channel, source or page use break_down_money.
compare adds the numbers of another period: previous, previous_year, or custom with compare_from and compare_to; match_weekday compares weekdays with weekdays. group is the size of the buckets of a series. imported adds imported totals of days before the first hit.
${FILTERS}
Lists have 5 rows unless per_page says more (up to 100; page is the next one), and answers over 6 kB are shortened: about.left_out says what is missing. whole: true, or a higher per_page or limit, gives all.`

/**
 * Answers one message of a client, with the transport of the SDK.
 * @param ctx context of an authenticated caller who was charged already
 * @param options.message its parsed body
 * @param options.refusal why no tool may be called now; an assistant reads it as the answer of the tool
 */
export async function answerMessage(
  req: Request,
  res: Response,
  ctx: Context & { caller: Caller },
  { message, refusal }: { message: Record<string, unknown>; refusal: AppError | undefined },
): Promise<void> {
  const server = new Server(
    { name: 'analytics', title: 'Web analytics and revenue', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = findTools().get(params.name)
    if (!tool) throw new McpError(ErrorCode.InvalidParams, 'No such tool: tools/list names them')
    return refusal ? refused(refusal) : callTool(ctx, tool, params.arguments ?? {})
  })
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.once('close', () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res, message)
}

const listTools = () =>
  [...findTools()].map(([name, { description, schema }]) => ({
    name,
    description,
    inputSchema: schema as { type: 'object' },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }))

/** What the caller did wrong is a result, which the assistant reads and may mend. */
async function callTool(
  ctx: Context & { caller: Caller },
  tool: Tool,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  try {
    const { input, mayBeLong } = inputOf(tool, given)
    const answer = await callProcedure(tool.route, ctx, async () => input)
    const site =
      typeof given.siteKey === 'string' ? await findSite(ctx.db, ctx.caller, given.siteKey) : undefined
    const fields = tool.schema.properties as Record<string, Json>
    const about = aboutAnswer(site, { given: input, fields, answer }, ctx.now())
    const { short, cut } = mayBeLong ? { short: answer, cut: [] } : shorten(answer, about)
    if (cut.length > 0)
      about.left_out = `Here are only ${cut.join(', ')}. whole: true gives all${fields.group ? ', a larger group fewer buckets' : ''}.`
    const texts = Array.isArray(short) ? [short, { about }] : [{ about, ...(short as object) }]
    return { content: texts.map(each => ({ type: 'text', text: JSON.stringify(each) })) }
  } catch (error) {
    const known = asAppError(error)
    logFailure(ctx.log, known, ctx.requestId)
    return refused(known)
  }
}

function refused(error: AppError): CallToolResult {
  const lines = Object.entries(error.fields ?? {}).map(([name, messages]) => `${name} ${messages.join(', ')}`)
  const seconds = retryAfterOf(error)
  const text = lines.length > 0 ? lines.join('\n') : error.message
  const wait = seconds === undefined ? '' : `. Try again after ${seconds} seconds`
  return { isError: true, content: [{ type: 'text', text: `${text}${wait}` }] }
}
