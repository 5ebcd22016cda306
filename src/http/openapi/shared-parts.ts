import type { Json } from './schemas.ts'

interface Operation {
  parameters?: Json[]
  responses: Record<string, Json>
}

/**
 * Moves parameters and answers that several operations have in common into components; in their place a reference stays.
 * @returns the parts of `components` that come from it
 */
export function shareParts(paths: Record<string, Json>): { parameters: object; responses: object } {
  const operations = Object.values(paths).flatMap(path => Object.values(path) as Operation[])
  const parameters = createShelf('parameters')
  const responses = createShelf('responses')
  for (const operation of operations) {
    for (const parameter of operation.parameters ?? []) parameters.count(parameter.name as string, parameter)
    for (const [status, answer] of Object.entries(operation.responses))
      responses.count(nameOf(status), answer)
  }
  for (const operation of operations) {
    if (operation.parameters) {
      operation.parameters = operation.parameters.map(each => parameters.share(each.name as string, each))
    }
    for (const [status, answer] of Object.entries(operation.responses)) {
      operation.responses[status] = responses.share(nameOf(status), answer)
    }
  }
  return { parameters: parameters.shared, responses: responses.shared }
}

/** Successes are each operation's own. */
const NAMES: Record<string, string> = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'ValidationFailed',
  429: 'RateLimited',
  503: 'Unavailable',
  default: 'OtherError',
}
const nameOf = (status: string): string | undefined => NAMES[status]

/** Of several parts that would have the same name, the most frequent one gets it. */
function createShelf(kind: 'parameters' | 'responses') {
  const counts = new Map<string, Map<string, number>>()
  const shared: Record<string, Json> = {}
  return {
    shared,
    count(name: string | undefined, part: Json) {
      if (name === undefined) return
      const ofName = counts.get(name) ?? new Map<string, number>()
      const text = JSON.stringify(part)
      counts.set(name, ofName.set(text, (ofName.get(text) ?? 0) + 1))
    },
    share(name: string | undefined, part: Json): Json {
      const [most] = [...(counts.get(name ?? '') ?? [])].sort(([, a], [, b]) => b - a)
      if (name === undefined || !most || most[1] < 2 || most[0] !== JSON.stringify(part)) return part
      shared[name] = part
      return { $ref: `#/components/${kind}/${name}` }
    },
  }
}
