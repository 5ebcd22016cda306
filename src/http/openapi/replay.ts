import { ReplayAnswer, ReplayHead } from '../../ingestion/replays/read-chunk.ts'
import { headersOf, otherErrors, RATE_HEADERS, refusalAnswers } from './answers.ts'
import type { DescribedEndpoint } from './other-endpoints.ts'
import { jsonBody } from './requests.ts'
import { exampleOf, type Schemas } from './schemas.ts'
import { tags } from './tags.ts'

/** Describes the endpoint that receives recordings. */
export function describeReplay(schemas: Schemas): DescribedEndpoint {
  const { components } = schemas
  const head = schemas.convert(ReplayHead, 'input')
  const answer = schemas.convert(ReplayAnswer, 'output')
  const { content, ...body } = jsonBody(head, components) as { content: Record<string, object> }
  return {
    method: 'post',
    path: '/api/replay',
    operation: {
      operationId: 'recordReplay',
      tags: [tags.ingestion!.name],
      summary: 'Record a part of a session',
      description:
        'The first line of the body is a JSON object, as `ReplayHead` describes it. What follows are events of rrweb: a JSON array of ' +
        '1 to 5,000, usually as gzip, of at most 256 KiB, and 4 MiB unpacked. Without `recording`, `position` and events the answer ' +
        'only says whether to record.',
      security: [],
      requestBody: {
        ...body,
        content: {
          ...content,
          'text/plain': {
            schema: { type: 'string', description: 'The first line, and the events after it.' },
            example: `${JSON.stringify(exampleOf(head, components))}\n[{"type":4,"timestamp":1742896800000,"data":{}}]`,
          },
        },
      },
      responses: {
        202: {
          description:
            'The events are kept and will be stored; `X-Hit-Dropped` names the exceptions. A recording that is stored already is ' +
            'not stored again.',
          headers: headersOf(...RATE_HEADERS, 'X-Hit-Dropped'),
          content: { 'application/json': { schema: answer, example: exampleOf(answer, components) } },
        },
        ...refusalAnswers(
          {
            malformed_json: true,
            bad_request: 'The body breaks off, or the events cannot be unpacked',
            not_found: 'No site has this tracking key',
            payload_too_large:
              'The body is larger than 272 KiB, or its events are larger than 256 KiB or 4 MiB unpacked',
            unsupported_media_type: true,
            validation_failed: true,
            rate_limited: true,
            unavailable: true,
          },
          RATE_HEADERS,
        ),
        default: otherErrors,
      },
    },
  }
}
