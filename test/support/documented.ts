import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into by path
export type Document = any

export interface Documented {
  /** Whether a value fits the schema at a JSON pointer of the document. @returns what is wrong, empty when nothing is */
  problems(pointer: string, value: unknown): string[]
  /** Fails unless the document describes the answer: its status, its headers, its type and its body. */
  expectAnswer(operation: string, response: Response, body: Buffer): void
  /** `GET /api/sites` to the statuses that were answered to it. */
  seen: Map<string, Set<string>>
}

const DESCRIBED_HEADERS =
  /^(x-(request-id|ratelimit|ignored|hit|tracker)|retry-after$|location$|etag$|www-auth)/

/** `GET /api/sites` of every operation, with what the document says of it. */
export function operationsOf(document: Document): Map<string, Document> {
  return new Map(
    Object.entries(document.paths as Document).flatMap(([path, item]) =>
      Object.entries(item as Document).map(([method, operation]): [string, Document] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  )
}

/** What stands there, or where a reference leads. */
export function resolved(document: Document, node: Document): Document {
  if (typeof node?.$ref !== 'string') return node
  const keys = node.$ref.slice(2).split('/')
  return keys.reduce((at: Document, key: string) => at[key], document)
}

export const pointer = (...keys: string[]) =>
  keys.map(key => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export function createDocumented(document: Document): Documented {
  // Not strict: OpenAPI has keywords of its own.
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const validators = new Map<string, ValidateFunction>()
  const seen = new Map<string, Set<string>>()

  function problems(at: string, value: unknown): string[] {
    const known = validators.get(at)
    const validate =
      known ?? ajv.compile({ $ref: `openapi#${at.split('/').map(encodeURIComponent).join('/')}` })
    validators.set(at, validate)
    if (validate(value)) return []
    return validate.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }

  return {
    problems,
    seen,
    expectAnswer(operation, response, body) {
      const [method, path] = operation.split(' ') as [string, string]
      const described = document.paths[path]?.[method.toLowerCase()]
      expect(described, `${operation} is described`).toBeDefined()
      const status = String(response.status)
      expect(Object.keys(described.responses), `${operation}: ${body.toString().slice(0, 300)}`).toContain(
        status,
      )
      const place = described.responses[status]
      const answer = resolved(document, place)
      expectHeaders(`${operation} ${status}`, answer.headers, response.headers)
      const type = response.headers.get('content-type')?.split(';')[0]
      if (answer.content === undefined) expect(body.toString(), `${operation} ${status}`).toBe('')
      else expect(Object.keys(answer.content), `${operation} ${status}`).toContain(type)
      if (type === 'application/json') {
        const start = place.$ref
          ? place.$ref.slice(1)
          : pointer('paths', path, method.toLowerCase(), 'responses', status)
        const found = problems(start + pointer('content', type, 'schema'), JSON.parse(body.toString()))
        expect(found, `${operation} ${status}: ${body.toString().slice(0, 500)}`).toEqual([])
      }
      seen.set(operation, (seen.get(operation) ?? new Set()).add(status))
    },
  }

  function expectHeaders(name: string, described: Document, headers: Headers) {
    const names = Object.keys(described).map(each => each.toLowerCase())
    const sent = [...headers.keys()].filter(each => DESCRIBED_HEADERS.test(each))
    expect(names, `headers of ${name}`).toEqual(expect.arrayContaining(sent))
    for (const [header, reference] of Object.entries(described)) {
      const { required, schema } = resolved(document, reference)
      const value = headers.get(header)
      if (required) expect(value, `${header} of ${name}`).not.toBeNull()
      if (schema.type === 'integer' && value !== null) expect(value, `${header} of ${name}`).toMatch(/^\d+$/)
    }
  }
}
