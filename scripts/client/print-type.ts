import ts from 'typescript'

/** Types that TypeScript writes without a name of another type. */
const LEAVES =
  ts.TypeFlags.String |
  ts.TypeFlags.Number |
  ts.TypeFlags.Boolean |
  ts.TypeFlags.Literal |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Null |
  ts.TypeFlags.Void |
  ts.TypeFlags.Unknown

/**
 * Returns a function that writes a type as TypeScript, all names of other types resolved.
 * @param replace gets the property names and the text of each object type; returns what is written in its place
 * @throws Error for types that JSON cannot hold, and for `any`: a type error in the sources becomes `any`
 */
export function typePrinter(
  checker: ts.TypeChecker,
  replace: (properties: readonly string[], text: string) => string,
): (type: ts.Type) => string {
  const print = (type: ts.Type): string => {
    if (type.flags & LEAVES) {
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType)
    }
    if (type.isUnion()) return printUnion(type)
    if (checker.isTupleType(type)) return `[${argumentsOf(type).map(print).join(', ')}]`
    if (checker.isArrayType(type)) return printArray(print(argumentsOf(type)[0]!))
    if (isRecord(type)) return printObject(type)
    throw new Error(`The client cannot describe the type ${checker.typeToString(type)}`)
  }

  const argumentsOf = (type: ts.Type) => checker.getTypeArguments(type as ts.TypeReference)

  const printArray = (element: string) => (/^\w+$/.test(element) ? `${element}[]` : `Array<${element}>`)

  const isRecord = (type: ts.Type) =>
    (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
    type.getCallSignatures().length + type.getConstructSignatures().length === 0

  const printUnion = ({ types }: ts.UnionType): string => {
    const texts = new Set(types.map(print))
    // In a union, `boolean` is two literals.
    if (texts.has('true') && texts.delete('false')) {
      texts.delete('true')
      texts.add('boolean')
    }
    const isEmpty = (text: string) => Number(['null', 'undefined', 'void'].includes(text))
    return [...texts].sort((one, other) => isEmpty(one) - isEmpty(other)).join(' | ')
  }

  const printObject = (type: ts.Type): string => {
    const properties = checker.getPropertiesOfType(type)
    const members = [
      ...checker.getIndexInfosOfType(type).map(info => `[key: ${print(info.keyType)}]: ${print(info.type)}`),
      ...properties.map(property => {
        const optional = property.flags & ts.SymbolFlags.Optional ? '?' : ''
        const name = /^\w+$/.test(property.name) ? property.name : JSON.stringify(property.name)
        return `${name}${optional}: ${print(checker.getTypeOfSymbol(property))}`
      }),
    ]
    return replace(
      properties.map(({ name }) => name),
      `{ ${members.join('; ')} }`,
    )
  }
  return print
}
