import { join, relative } from 'node:path'
import ts from 'typescript'
import { projectRoot } from '../../src/platform/config/config.ts'

/** A call of `query()` in the sources, with its types as texts such as `number | null`. */
export interface DeclaredQuery {
  name: string
  /** undefined: the text is in `sql/queries/{name}.sql`. */
  text: string | undefined
  /** File and line. */
  where: string
  parameters: Record<string, string>
  columns: Record<string, string>
}

/** Finds every `query<Params, Row>('name', …)` and `queries<Key, Params, Row>('prefix', TEXTS)` of the service with the help of the TypeScript compiler. */
export async function declaredQueries(): Promise<DeclaredQuery[]> {
  const program = serviceProgram()
  const checker = program.getTypeChecker()
  const found: Promise<DeclaredQuery[]>[] = []
  for (const file of program.getSourceFiles()) {
    const path = relative(projectRoot, file.fileName)
    if (!/^(src|workers|scripts)\//.test(path) || path === join('src', 'platform', 'db', 'query.ts')) continue
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit)
      if (!ts.isCallExpression(node)) return
      const texts = textsOf(checker, node)
      if (!texts) return
      const isOfMany = node.expression.getText() === 'queries'
      const [parameters, columns] = node.typeArguments?.slice(isOfMany ? 1 : 0) ?? []
      const types = {
        where: `${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`,
        parameters: propertiesOf(checker, parameters),
        columns: propertiesOf(checker, columns),
      }
      found.push(texts.then(all => all.map(([name, text]) => ({ ...types, name, text }))))
    }
    visit(file)
  }
  return (await Promise.all(found)).flat()
}

type Texts = [name: string, text: string | undefined][]

/** Returns the names and texts of the statements that a call declares; undefined for any other call. */
function textsOf(checker: ts.TypeChecker, call: ts.CallExpression): Promise<Texts> | undefined {
  const called = call.expression.getText()
  if (called !== 'query' && called !== 'queries') return
  const [first, text] = call.arguments
  if (!first || !ts.isStringLiteral(first)) throw new Error(`Its name must be a text: ${call.getText()}`)
  const { text: name } = first
  // Names are kebab-case: `query('select 1')` of a database driver is another function.
  if (!/^[a-z0-9-]+$/.test(name)) return
  if (called === 'query') return (async () => [[name, text && (await constantText(checker, text))]])()
  return exportedAs(checker, text!).then(texts =>
    Object.entries(texts as object).map(([key, each]) => [`${name}-${key.replaceAll('_', '-')}`, each]),
  )
}

let program: ts.Program | undefined

/** Returns the sources of the service with their types. Test files of the same worker share them: they take 5 s to read. */
function serviceProgram(): ts.Program {
  program ??= createServiceProgram()
  return program
}

function createServiceProgram(): ts.Program {
  const config = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), ts.sys.readFile)
  const { fileNames, options } = ts.parseJsonConfigFileContent(config.config, ts.sys, projectRoot)
  const isService = (name: string) => /^(src|workers|scripts)\//.test(relative(projectRoot, name))
  return ts.createProgram(fileNames.filter(isService), options)
}

/**
 * Evaluates a text that is written as a literal, perhaps with constants such as `${SITE_COLUMNS}` in it. A constant that is
 * computed is read from its module, which must export it.
 */
async function constantText(checker: ts.TypeChecker, node: ts.Expression): Promise<string> {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
    return constantText(checker, node.expression)
  if (ts.isTemplateExpression(node)) {
    let text = node.head.text
    for (const { expression, literal } of node.templateSpans) {
      text += (await constantText(checker, expression)) + literal.text
    }
    return text
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return (await constantText(checker, node.left)) + (await constantText(checker, node.right))
  }
  if (ts.isCallExpression(node)) {
    const make = (await exportedAs(checker, node.expression)) as (...given: unknown[]) => string
    return make(...(await Promise.all(node.arguments.map(given => literalOf(checker, given)))))
  }
  if (ts.isIdentifier(node)) {
    const { initializer } = declarationOf(checker, node) ?? {}
    if (initializer && !ts.isCallExpression(initializer)) return constantText(checker, initializer)
    const value = await exportedAs(checker, node)
    if (typeof value === 'string') return value
  }
  throw new Error(`The text of a query must be made of constants: ${node.getText()}`)
}

/** Returns the declaration of a name, in whichever file it is. */
function declarationOf(checker: ts.TypeChecker, node: ts.Node): ts.VariableDeclaration | undefined {
  const symbol = checker.getSymbolAtLocation(node)!
  const { valueDeclaration } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return valueDeclaration as ts.VariableDeclaration | undefined
}

/** Returns what the module of a name exports by it. */
async function exportedAs(checker: ts.TypeChecker, node: ts.Node): Promise<unknown> {
  const declaration = declarationOf(checker, node)
  if (!declaration) return undefined
  const module: Record<string, unknown> = await import(declaration.getSourceFile().fileName)
  return module[declaration.name.getText()]
}

/** Evaluates an argument of a function that makes a text: a literal, perhaps with names of constants in it. */
async function literalOf(checker: ts.TypeChecker, node: ts.Expression): Promise<unknown> {
  if (ts.isArrayLiteralExpression(node))
    return Promise.all(node.elements.map(each => literalOf(checker, each)))
  if (!ts.isObjectLiteralExpression(node)) return constantText(checker, node)
  const entries = node.properties.map(async property => {
    if (!ts.isPropertyAssignment(property)) throw new Error(`Not a constant: ${property.getText()}`)
    return [property.name.getText(), await literalOf(checker, property.initializer)]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Returns the kinds of values of each property of a type, such as `number` or `Date | string`. */
function propertiesOf(checker: ts.TypeChecker, node: ts.TypeNode | undefined): Record<string, string> {
  if (!node) return {}
  const type = checker.getTypeFromTypeNode(node)
  return Object.fromEntries(
    checker.getPropertiesOfType(type).map(property => {
      const declared = checker.getTypeOfSymbolAtLocation(property, node)
      return [property.name, kindsOf(checker, declared)]
    }),
  )
}

/** The kinds of values that a type allows, without null: `number`, `string`, `boolean`, `Date`, `bytes`, `json`, `number[]` … */
function kindsOf(checker: ts.TypeChecker, type: ts.Type): string {
  const members = type.isUnion() ? type.types : [type]
  return [...new Set(members.map(member => kindOf(checker, member)))].filter(Boolean).sort().join(' | ')
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string {
  const { flags } = type
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return ''
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return 'json'
  if (flags & ts.TypeFlags.NumberLike) return 'number'
  if (flags & ts.TypeFlags.StringLike) return 'string'
  if (flags & ts.TypeFlags.BooleanLike) return 'boolean'
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference)
    return `${kindsOf(checker, element!)}[]`
  }
  const name = type.getSymbol()?.name ?? ''
  if (name === 'Date') return 'Date'
  if (name === 'Buffer' || name === 'Uint8Array') return 'bytes'
  return 'json'
}
