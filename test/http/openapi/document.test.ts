import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { routes } from '../../../src/http/api/routes.ts'
import { describeApi } from '../../../src/http/openapi/document.ts'
import { createDocumented, type Document, operationsOf, pointer, resolved } from '../../support/documented.ts'

const document: Document = describeApi('https://analytics.example.com')
const operations = operationsOf(document)
const documented = createDocumented(document)

/** Endpoints that are no procedures: those that need a token, and those that need none. */
const WITH_TOKEN = [
  'GET /api/sites/{siteKey}/export',
  'GET /api/sites/{siteKey}/export/{kind}',
  'GET /metrics',
]
const OPEN = [
  ...['collect', 'event', 'engage', 'web-vitals', 'replay', 'identify', 'processor/webhook/{siteId}'].map(
    path => `POST /api/${path}`,
  ),
  ...['oidc/start', 'oidc/callback'].map(path => `GET /api/auth/${path}`),
  ...['favicons/{domain}', 'avatars/{file}', 'avatars/{visitor}/{picture}'].map(path => `GET /${path}`),
  ...['js/script.js', 'js/vitals.js', 'js/replay.js', 'healthz', 'readyz'].map(path => `GET /${path}`),
]
const nameOf = ({ method, path }: (typeof routes)[number]) =>
  `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`

test('OpenAPI: the document is valid OpenAPI 3.1', async () => {
  expect(document.openapi).toBe('3.1.0')
  // The validator resolves references in place.
  const answer = await new Validator().validate(structuredClone(document))
  expect(answer).toEqual({ valid: true })
})

test('OpenAPI: it describes every route and nothing else, the same each time it is created', () => {
  const all = [...routes.map(nameOf), ...OPEN, ...WITH_TOKEN]
  expect([...operations.keys()].sort()).toEqual(all.sort())
  expect(describeApi('https://analytics.example.com')).toEqual(document)
})

test('OpenAPI: it names the public address and the authentication', () => {
  expect(document.servers).toEqual([{ url: 'https://analytics.example.com' }])
  expect(document.components.securitySchemes.token).toMatchObject({ type: 'http', scheme: 'bearer' })
  const open = [...operations].filter(([, { security }]) => security?.length === 0).map(([name]) => name)
  const withoutToken = routes.filter(({ isOpen }) => isOpen).map(nameOf)
  expect(open.sort()).toEqual([...OPEN, ...withoutToken].sort())
})

test('OpenAPI: operations have unique names and described tags', () => {
  const ids = [...operations.values()].map(operation => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
  const tags = document.tags.map(({ name }: Document) => name)
  for (const [name, operation] of operations) expect(tags, name).toContain(operation.tags[0])
})

describe.each([...operations])('%s', (name, operation) => {
  const [method, path] = name.split(' ') as [string, string]
  const at = pointer('paths', path, method.toLowerCase())
  const parameters = (operation.parameters ?? []).map((each: Document) => resolved(document, each))

  test('the operation describes its purpose, responses and parameters, those of its path among them', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    for (const [status, answer] of Object.entries(operation.responses))
      expect(resolved(document, answer).description, status).toMatch(/\.$/)
    const inPath = parameters.filter((each: Document) => each.in === 'path')
    expect(inPath.map((each: Document) => each.name).sort()).toEqual(
      [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]).sort(),
    )
    for (const [index, place] of (operation.parameters ?? []).entries()) {
      const start = place.$ref ? place.$ref.slice(1) : at + pointer('parameters', String(index))
      const { name, in: where, schema, example, description } = resolved(document, place)
      expect(description, name).toMatch(/\.$/)
      expect([name, ...schemaGaps(schema, name)]).toEqual([name])
      if (where === 'path') expect(example ?? schema.format, name).toBeDefined()
      if (example !== undefined) expect(documented.problems(`${start}/schema`, example), name).toEqual([])
    }
  })

  test('has a body, if any, with a valid example', () => {
    for (const [type, content] of Object.entries<Document>(operation.requestBody?.content ?? {})) {
      expect(content.example, type).toBeDefined()
      const start = at + pointer('requestBody', 'content', type, 'schema')
      expect(documented.problems(start, content.example), type).toEqual([])
      expect(schemaGaps(content.schema, type)).toEqual([])
    }
  })

  test('has responses with valid examples', () => {
    for (const [status, place] of Object.entries<Document>(operation.responses)) {
      const start = place.$ref ? place.$ref.slice(1) : at + pointer('responses', status)
      const content = resolved(document, place).content?.['application/json']
      if (!content) continue
      const examples = content.examples
        ? Object.values<Document>(content.examples).map(({ value }) => value)
        : [content.example]
      expect(examples.length, status).toBeGreaterThan(0)
      for (const example of examples) {
        expect(example, status).toBeDefined()
        const schema = start + pointer('content', 'application/json', 'schema')
        expect(documented.problems(schema, example), status).toEqual([])
      }
      expect(schemaGaps(content.schema, status)).toEqual([])
    }
  })
})

/** Returns the fields of a schema that have no type or no description. */
function schemaGaps(node: Document, path: string): string[] {
  if (node.$ref) return node.$ref.startsWith('#/components/schemas/') ? [] : [`${path}: ${node.$ref}`]
  const branches: Document[] = node.anyOf ?? node.oneOf ?? []
  const kinds = [node.type ?? []].flat()
  const isKnown = 'const' in node || node.enum || branches.length > 0 || kinds.length > 0
  const gaps = isKnown ? [] : [`${path} has no type`]
  gaps.push(
    ...branches.flatMap((branch, index) =>
      branch.type === 'null' ? [] : schemaGaps(branch, `${path}|${index}`),
    ),
  )
  if (node.items) gaps.push(...schemaGaps(node.items, `${path}[]`))
  for (const [name, field] of Object.entries<Document>(node.properties ?? {})) {
    const at = `${path}.${name}`
    if (!resolved(document, field).description && !field.description && !field.$ref)
      gaps.push(`${at} has no description`)
    gaps.push(...schemaGaps(field, at))
  }
  return gaps
}

test.each(Object.entries<Document>(document.components.schemas))(
  'OpenAPI: %s describes each field',
  (name, schema) => {
    expect(schemaGaps(schema, name)).toEqual([])
  },
)

test('OpenAPI: schemas have examples for texts, so that none is generated', () => {
  expect(JSON.stringify(document).match(/.{80}:"text"[,}]/g)).toBeNull()
})

test('OpenAPI: defaults of numbers, compared periods and the number of steps of a funnel are described', () => {
  const parameterOf = (path: string, name: string) =>
    document.paths[`/api/sites/{siteKey}${path}`].get.parameters
      .map((each: object) => resolved(document, each))
      .find((each: { name: string }) => each.name === name)
  for (const [path, name, value] of [
    ['/stats/journeys', 'steps', 3],
    ['/stats/journeys', 'branches', 5],
    ['/stats/retention', 'periods', 12],
    ['/stats/filter-values', 'limit', 1_000],
    ['/goals', 'per_page', 25],
  ] as const)
    expect(parameterOf(path, name).schema.default, `${path} ${name}`).toBe(value)
  for (const path of ['/stats/funnel', '/stats/web-vitals', '/stats/breakdown'])
    expect(parameterOf(path, 'compare').description, path).toMatch(/^Adds `previous`/)
  expect(parameterOf('/overview', 'compare').description).toContain('Without it')
  const { steps } = document.components.schemas.FunnelDefinition.properties
  expect(steps).toMatchObject({ minItems: 2, maxItems: 8 })
})
