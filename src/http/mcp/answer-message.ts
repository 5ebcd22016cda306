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
import { VERSION } from '../../config.ts'
import { asAppError } from '../../runtime/failures.ts'
import type { Context } from '../../trpc/context.ts'
import { callProcedure } from '../api/call.ts'
import { logFailure } from '../error-answer.ts'
import { inputOf } from './arguments.ts'
import { findTools, type Tool } from './tools.ts'

const INSTRUCTIONS =
  'Web analytics and revenue of the sites that the token may read. Call list_sites first: its ids or domains are the siteKey of all ' +
  'other tools. Days are those of the time zone of the site. Amounts are in minor units of its currency (cents) unless a field ' +
  'is called formatted. Ask for one period with range, or with from and to. Visitors of several days are counted once: do not add ' +
  'up the numbers of days. For money by channel, source or page use break_down_money.'

/**
 * Answers one message of a client, with the transport of the SDK.
 * @param ctx context of an authenticated caller who was charged already
 * @param message its parsed body
 */
export async function answerMessage(
  req: Request,
  res: Response,
  ctx: Context,
  message: Record<string, unknown>,
): Promise<void> {
  const server = new Server(
    { name: 'analytics', title: 'Web analytics and revenue', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = findTools().get(params.name)
    if (!tool) throw new McpError(ErrorCode.InvalidParams, 'No such tool: tools/list names them')
    return callTool(ctx, tool, params.arguments ?? {})
  })
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.once('close', () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res, message)
}

const listTools = () =>
  [...findTools()].map(([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema: inputSchema as { type: 'object' },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }))

/** What the caller did wrong is a result, which the assistant reads and may mend. */
async function callTool(ctx: Context, tool: Tool, given: Record<string, unknown>): Promise<CallToolResult> {
  try {
    const answer = await callProcedure(tool.route, ctx, async () => inputOf(tool.inputSchema, given))
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
  } catch (error) {
    const known = asAppError(error)
    logFailure(ctx.log, known, ctx.requestId)
    const fields = Object.entries(known.fields ?? {}).map(
      ([name, messages]) => `${name} ${messages.join(', ')}`,
    )
    const text = [known.message, ...fields].join('\n')
    return { isError: true, content: [{ type: 'text', text }] }
  }
}
