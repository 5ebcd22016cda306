import type { Refusals } from '../../errors.ts'
import { otherErrors, refusalAnswers } from './answers.ts'
import type { Json } from './schemas.ts'
import { tags } from './tags.ts'

/** Endpoint outside the route table. */
export interface DescribedEndpoint {
  method: 'get' | 'post'
  /** In the syntax of Express, with `:name` for parameters. */
  path: string
  operation: Json
}

/** Describes a GET whose only fields are in its path, and which needs no token unless `security` says so. */
export function describeGet(
  tag: keyof typeof tags,
  path: string,
  texts: { operationId: string; summary: string; description?: string },
  answer: { description: string; headers: Json; content: Json },
  options: {
    parameters?: Json[]
    refusals?: Refusals
    security?: Json[]
    others?: Record<string, Json>
  } = {},
): DescribedEndpoint {
  const { parameters, refusals = {}, security = [], others = {} } = options
  return {
    method: 'get',
    path,
    operation: {
      ...texts,
      tags: [tags[tag]!.name],
      security,
      ...(parameters && { parameters }),
      responses: { 200: answer, ...others, ...refusalAnswers(refusals), default: otherErrors },
    },
  }
}
