import type ts from 'typescript'
import { typePrinter } from './print-type.ts'

/** Object types that get a name, each with properties that no other type has. All others are written where they are used. */
const NAMED: Record<string, string[]> = {
  Site: ['tracking_key'],
  Goal: ['id', 'match_operator'],
  FilterOperators: ['is_not', 'matches_regex'],
  PageLinks: ['prev', 'next'],
  PageCounts: ['current_page', 'last_page'],
}

/**
 * Writes the type of a tRPC router without imports of the service.
 * @returns `text`: declarations of `AppRouter` (inputs, outputs and errors of all procedures) and of the types in `NAMED`;
 * `paths` of the procedures, such as `stats.overview`
 * @throws Error if an entry of `NAMED` fits no type, or two different ones
 */
export function describeRouter(checker: ts.TypeChecker, router: ts.Type): { text: string; paths: string[] } {
  const named = new Map<string, string>()
  const print = typePrinter(checker, (properties, text) => {
    const name = Object.keys(NAMED).find(each => NAMED[each]!.every(one => properties.includes(one)))
    if (name === undefined) return text
    if ((named.get(name) ?? text) !== text) throw new Error(`NAMED.${name} fits two different types`)
    named.set(name, text)
    return name
  })
  const at = (type: ts.Type, ...path: string[]): ts.Type =>
    path.reduce((parent, name) => checker.getTypeOfSymbol(checker.getPropertyOfType(parent, name)!), type)

  const paths: string[] = []
  const describe = (type: ts.Type, path: string[]): string => {
    const isProcedure = checker.getPropertyOfType(type, '_def') !== undefined
    if (!isProcedure) {
      const names = checker.getPropertiesOfType(type).map(property => property.name)
      return `{ ${names.map(name => `${name}: ${describe(at(type, name), [...path, name])}`).join('; ')} }`
    }
    paths.push(path.join('.'))
    const kind = print(at(type, '_def', 'type')) === "'query'" ? 'Query' : 'Mutation'
    const [input, output] = ['input', 'output'].map(side => print(at(type, '_def', '$types', side)))
    return `TRPC${kind}Procedure<{ input: ${input}; output: ${output}; meta: unknown }>`
  }
  const procedures = describe(at(router, '_def', 'record'), [])
  const errorShape = print(at(router, '_def', '_config', '$types', 'errorShape'))
  const unused = Object.keys(NAMED).filter(name => !named.has(name))
  if (unused.length > 0) throw new Error(`NAMED.${unused[0]} fits no type`)
  const types = `{ ctx: object; meta: object; errorShape: ${errorShape}; transformer: false }`
  const declarations = [...named, ['AppRouter', `TRPCBuiltRouter<${types}, ${procedures}>`]]
  return { text: declarations.map(([name, type]) => `export type ${name} = ${type};`).join('\n'), paths }
}
