// Builds src/client/dist, the content of the client's package: index.js, and index.d.ts that imports nothing of the
// service. `npm pack -w src/client` runs it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describeRouter } from './describe-router.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const client = join(root, 'src', 'client')
const dist = join(client, 'dist')

// The types of @trpc/server use `Disposable`, which the libraries of ES2024 and older do not declare.
const HEADER = `/// <reference lib="esnext.disposable" />
import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
`

const programs = createPrograms(join(root, 'tsconfig.json'))
const router = describeRouter(...programs.exportedType(join(root, 'src', 'trpc', 'root.ts'), 'AppRouter'))

const source = readFileSync(join(client, 'index.ts'), 'utf8')
const transpile = {
  fileName: 'index.ts',
  compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
}
const ownDeclarations = ts
  .transpileDeclaration(source, transpile)
  .outputText.replaceAll(/^.* from '\.\.\/trpc\/root\.ts';\n/gm, '')
const declarations = ts.createSourceFile(
  'index.d.ts',
  HEADER + ownDeclarations + router.text,
  ts.ScriptTarget.ES2022,
)

mkdirSync(dist, { recursive: true })
copyFileSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
writeFileSync(join(dist, 'index.js'), ts.transpileModule(source, transpile).outputText)
writeFileSync(join(dist, 'index.d.ts'), ts.createPrinter().printFile(declarations))

const errors = programs.errorsIn(join(dist, 'comparison.ts'), comparison(router.paths))
if (errors.length > 0) {
  process.stderr.write(`src/client/dist/index.d.ts differs from the service:\n${errors.join('\n')}\n`)
  process.exitCode = 1
}

/**
 * Returns a TypeScript file to stand beside the client's `index.d.ts`: it has a type error, naming the procedure, for each
 * input and output that differs between the declarations and the service.
 * @param paths of all procedures, such as `stats.overview`
 */
function comparison(paths: string[]): string {
  const checks = paths.flatMap(path => {
    const member = path.replaceAll(/[^.]+\.?/g, name => `['${name.replace('.', '')}']`)
    return ['Input', 'Output'].map(
      side => `Same<'${side} of ${path}', ${side}s<Client>${member}, ${side}s<Service>${member}>`,
    )
  })
  return `
import type { inferRouterError, inferRouterInputs as Inputs, inferRouterOutputs as Outputs } from '@trpc/server'
import type { AppRouter as Service } from '../../trpc/root.ts'
import type { AppRouter as Client } from './index.d.ts'

type Is<A> = <T>() => T extends A ? 1 : 2
type Same<Name, A, B> = Is<A> extends Is<B> ? true : Name
const errors: Same<'Errors', inferRouterError<Client>, inferRouterError<Service>> = true
${checks.map((check, index) => `const check${index}: ${check} = true`).join('\n')}
`
}

/**
 * TypeScript programs over the same files. Each file is parsed and bound once: that takes 4 s for the service.
 * @param configFile a tsconfig.json, read for its `compilerOptions`
 */
function createPrograms(configFile: string) {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, dirname(configFile))
  const host = ts.createCompilerHost(options)
  const parse = host.getSourceFile
  const files = new Map<string, ts.SourceFile | undefined>()
  host.getSourceFile = (file, ...rest) => {
    if (!files.has(file)) files.set(file, parse.call(host, file, ...rest))
    return files.get(file)
  }
  const open = (file: string) => {
    const program = ts.createProgram([file], options, host)
    return { program, source: program.getSourceFile(file)! }
  }
  return {
    /** The checker of a program, and a type that `file` exports. */
    exportedType(file: string, name: string): [ts.TypeChecker, ts.Type] {
      const { program, source } = open(file)
      const checker = program.getTypeChecker()
      const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
      return [checker, checker.getDeclaredTypeOfSymbol(symbols.find(symbol => symbol.name === name)!)]
    },
    /** The type errors of `text`, as if it stood in `file`. */
    errorsIn(file: string, text: string): string[] {
      const format = {
        languageVersion: ts.ScriptTarget.ES2023,
        impliedNodeFormat: ts.ModuleKind.ESNext,
      } as const
      files.set(file, ts.createSourceFile(file, text, format))
      const { program, source } = open(file)
      const problems = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      return problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    },
  }
}
