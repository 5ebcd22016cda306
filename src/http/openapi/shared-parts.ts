import { type Json, mapValues } from './schemas.ts'

interface Operation {
  parameters?: Json[]
  responses: Record<string, Json>
}

/**
 * Moves parameters and answers that several operations share into components, and replaces them by references.
 * @returns the paths with these references, and the parts of `components` that they point to
 */
export function shareParts(paths: Record<string, Json>) {
  const parameters = createShelf('parameters')
  const responses = createShelf('responses')
  for (const operation of Object.values(paths).flatMap(path => Object.values(path) as Operation[])) {
    for (const parameter of operation.parameters ?? []) parameters.count(parameter.name as string, parameter)
    for (const [status, answer] of Object.entries(operation.responses))
      responses.count(nameOf(status), answer)
  }
  const shareIn = (operation: Operation): Operation => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map(each => parameters.share(each.name as string, each)),
    }),
    responses: mapValues(operation.responses, (answer, status) => responses.share(nameOf(status), answer)),
  })
  const shared = mapValues(paths, path => mapValues(path as Record<string, Operation>, shareIn))
  return { paths: shared, parameters: parameters.shared, responses: responses.shared }
}

/** Component name of each shared answer. Successful answers differ by operation, so they are not shared. */
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

/** Collects shared parts by name. The most frequent part of a name gets the name itself, the others get it with a number. */
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
      const common = [...(counts.get(name ?? '') ?? [])]
        .filter(([, uses]) => uses > 1)
        .sort(([, a], [, b]) => b - a)
      const place = common.findIndex(([text]) => text === JSON.stringify(part))
      if (place < 0) return part
      const fullName = place === 0 ? name! : `${name}${place + 1}`
      shared[fullName] = part
      return { $ref: `#/components/${kind}/${fullName}` }
    },
  }
}
